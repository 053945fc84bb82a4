import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { PassThrough, type Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { fixture, noPython, openWorld, python } from './world.ts'

const tries = Math.min(Number(process.env['VITRINE_RACES'] ?? 100_000), 100_000)

type Shell = Awaited<ReturnType<typeof openWorld>>

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return String(typeof address === 'object' && address?.port)
}

function takePort(port: string): {
  child: ChildProcess
  ready: Promise<unknown>
  end: () => Promise<string>
} {
  const child = spawn(python, [fixture('port_races.py'), 'take', port], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let text = ''
  child.stdout.on('data', (chunk) => {
    text += chunk
  })
  const end = async () => {
    child.stdin.end()
    await once(child, 'close')
    return text.replace('ready\n', '').trim()
  }
  return { child, ready: once(child.stdout, 'data'), end }
}

/** Reads line by line. */
function linesOf(stream: Readable): () => Promise<string> {
  const lines = createInterface({ input: stream })[Symbol.asyncIterator]()
  return async () => String((await lines.next()).value)
}

/** A command that waits for lines of input. */
function start(shell: Shell, ...argv: string[]) {
  const [stdin, output] = [new PassThrough(), new PassThrough()]
  const onOutput = (_stream: string, chunk: Uint8Array) => {
    output.write(chunk)
  }
  const request = { argv: [python, ...argv], stdin, timeoutMs: 170_000 }
  const ended = shell.execute(request, { onOutput }).finally(() => stdin.end())
  return { ended, told: linesOf(output), goOn: () => stdin.write('\n') }
}

function outside(...argv: string[]) {
  const child = spawn(python, argv, { stdio: ['pipe', 'pipe', 'inherit'] })
  return { child, told: linesOf(child.stdout), goOn: () => child.stdin.write('\n') }
}

describe.skipIf(noPython)('a port that its owner takes and gives back all the time (needs python3)', () => {
  it('is reached outside', async () => {
    const port = await freePort()
    const foreign = takePort(port)
    await foreign.ready
    const { child, told } = outside(fixture('port_races.py'), 'try', port, '3000')
    const [, reached] = (await told()).split(' ').map(Number)
    await foreign.end()
    expect(reached).toBeGreaterThan(0)
    child.kill()
  })

  it(`is not reached in ${tries} tries of a command that takes it, too`, async () => {
    const port = await freePort()
    const foreign = takePort(port)
    await foreign.ready
    const shell = await openWorld()
    const argv = [python, fixture('port_races.py'), 'try', port, String(tries)]
    const result = await shell.execute({ argv, timeoutMs: 170_000 })
    const sentTo = Number((await foreign.end()).split(' ')[1])
    const [connected, reached] = result.stdout.split(' ').map(Number)
    expect(connected, result.stderr).toBeGreaterThan(0)
    expect({ reached, sentTo }).toEqual({ reached: 0, sentTo: 0 })
  })
})

describe.skipIf(noPython)(
  'a port that another process takes while connections to it wait (needs python3)',
  () => {
    async function tried(run: { told: () => Promise<string>; goOn: () => void }, port: string) {
      expect(await run.told()).toBe('closed')
      const server = createServer((socket) => socket.on('error', () => {}).end('FOREIGN'))
      server.listen(Number(port), '127.0.0.1')
      await once(server, 'listening')
      run.goOn()
      const [waiting = 0, reached] = (await run.told()).split(' ').map(Number)
      server.close()
      return { waiting, reached }
    }

    it('gets all of them outside', async () => {
      const port = await freePort()
      const { waiting, reached } = await tried(outside(fixture('full_queue.py'), port), port)
      expect(waiting).toBeGreaterThan(0)
      expect(reached).toBe(waiting)
    })

    it('gets none of a command', async () => {
      const port = await freePort()
      const shell = await openWorld()
      const { ended, ...run } = start(shell, fixture('full_queue.py'), port)
      const { waiting, reached } = await tried(run, port)
      expect(waiting).toBeGreaterThan(0)
      expect(reached).toBe(0)
      await ended
    })
  },
)

describe.skipIf(noPython)('a command with many sockets (needs python3)', () => {
  it('is answered, all of its 100 threads', async () => {
    const shell = await openWorld()
    const argv = [python, fixture('many_clients.py'), 'threads']
    expect(await shell.execute({ argv, timeoutMs: 60_000 })).toMatchObject({ stdout: '2000\n', denials: [] })
  })

  it('holds up no other command while 600 of its connections wait', async () => {
    const [shell, other] = [await openWorld(), await openWorld()]
    const { told, goOn, ended } = start(shell, fixture('many_clients.py'), 'pending')
    expect(await told()).toBe('600')
    const argv = [python, fixture('many_clients.py'), 'threads']
    for (const asked of [shell, other])
      expect(await asked.execute({ argv, timeoutMs: 60_000 })).toMatchObject({ stdout: '2000\n' })
    goOn()
    expect((await ended).exitCode).toBe(0)
  })
})

const longestName = `
import ctypes, os, socket, struct
libc = ctypes.CDLL(None, use_errno=True)
os.chdir(os.environ['TMPDIR'])
address = struct.pack('H', socket.AF_UNIX) + b'n' * 108
server, client = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
print(libc.bind(server.fileno(), address, 110)); server.listen()
print(os.listdir('.') == ['n' * 108], libc.connect(client.fileno(), address, 110))
print(libc.connect(client.fileno(), address + b'n', 111), ctypes.get_errno())`

it.skipIf(noPython)(
  'a unix socket has a name of 108 bytes, without a NUL, and no longer one (needs python3)',
  async () => {
    const shell = await openWorld()
    const { stdout, denials } = await shell.execute({ argv: [python, '-c', longestName] })
    expect({ stdout, denials }).toEqual({ stdout: '0\nTrue 0\n-1 22\n', denials: [] })
  },
)
