import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Outcome, Result } from '../../src/base/types.ts'
import { prefixed } from '../../src/cli/output.ts'
import { exitCodeOf } from '../../src/cli/run/result.ts'
import { denialLines, survivorsText } from '../../src/messages/result.ts'
import { makeMarker, survivors } from '../helpers/processes.ts'
import { endLines, Home, refused } from './vitrine.ts'

const home = new Home()
const run = (...args: string[]) => home.run(['run', ...args])
const timedOut = (afterMs: number) => endLines({ kind: 'timed-out', afterMs })

describe('what comes out', () => {
  it('stdout and stderr hold the bytes of the command, whatever they are, and nothing else', async () => {
    const ran = await run('--', `printf 'a\\377\\000b\\r'; printf 'to stderr' >&2`)
    expect(ran.bytes).toEqual(Buffer.from([0x61, 0xff, 0, 0x62, 0x0d]))
    expect(ran).toMatchObject({ code: 0, stderr: 'to stderr' })
  })

  it('output streams while the command runs', async () => {
    const fifo = join(home.directory, 'fifo')
    const ran = await home.shell(
      `mkfifo ${fifo}; vitrine run --write -- 'echo first; cat ${fifo}' | { read line; echo "$line" > ${fifo}; cat; }`,
    )
    expect(ran.stdout).toBe('first\n')
  })

  it('--merged gives one stream in the order written', async () => {
    const ran = await run('--merged', '--', 'for i in 1 2 3; do echo out$i; echo err$i >&2; done')
    expect(ran).toMatchObject({ stdout: 'out1\nerr1\nout2\nerr2\nout3\nerr3\n', stderr: '' })
  })
})

describe('what runs', () => {
  it('one word is a line for sh', async () => {
    expect((await run('--', 'echo a b | tr a-z A-Z')).stdout).toBe('A B\n')
  })

  it('several words are a program and its arguments, which no shell sees', async () => {
    expect((await run('--', 'printf', '%s|', '$HOME', '*', 'a  b', '--json', '--')).stdout).toBe(
      '$HOME|*|a  b|--json|--|',
    )
  })

  it.each(['read', 'workspace'])(
    'nothing in %s mode where vitrine may open too few files, as it says',
    async (mode) => {
      mkdirSync(join(home.directory, 'project'), { recursive: true })
      const lines = [20, 22, 24, 26, 28, 32].map(
        (limit) => `ulimit -n ${limit}; vitrine run --mode ${mode} --cwd project -- true 2>&1`,
      )
      const said = await Promise.all(lines.map(async (line) => (await home.shell(line)).stdout))
      const own = said.filter((text) => text.startsWith('vitrine: '))
      expect(own).not.toEqual([])
      expect(own.filter((text) => !text.includes('ulimit -n'))).toEqual([])
    },
  )

  it('read mode changes nothing and says what to do; --write changes it', async () => {
    const file = join(home.directory, 'file')
    writeFileSync(file, 'before\n')
    const read = await run('--', `echo after > ${file}`)
    expect(readFileSync(file, 'utf8')).toBe('before\n')
    expect(read.code).not.toBe(0)
    expect(read.stderr.match(/^vitrine: /gm)).toHaveLength(1)
    expect(await run('--write', '--', `echo after > ${file}`)).toMatchObject({ code: 0, stderr: '' })
    expect(readFileSync(file, 'utf8')).toBe('after\n')
  })

  it('the first refusals stand on stderr, a line each; the rest is counted', async () => {
    const { stderr } = await run('--', 'for i in 1 2 3 4 5 6 7 8; do mkdir "new$i" 2>&1; done')
    // The hint names the first.
    const told = (from: number, to: number) =>
      denialLines(
        Array.from({ length: to - from + 1 }, (_, at) => ({
          operation: 'create',
          path: join(home.directory, `new${from + at}`),
          syscall: 'mkdir',
          pid: 1,
          program: 'mkdir',
          count: 1,
        })),
      ).map(prefixed)
    expect(stderr).toContain(told(2, 8).join(''))
    const many = await run('--', 'seq -f "mkdir new%g" 100 | sh 2>/dev/null')
    expect(many.stderr).toContain(told(2, 100).join(''))
  })

  it('only --network lets a TCP client through', async () => {
    let connections = 0
    const server = createServer((socket) => {
      connections++
      socket.end()
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0
    const connect = [process.execPath, '-e', `require('net').connect(${port}, '127.0.0.1').resume()`]
    try {
      expect((await run('--', ...connect)).code).not.toBe(0)
      expect(connections).toBe(0)
      expect((await run('--network', '--', ...connect)).code).toBe(0)
      expect(connections).toBe(1)
    } finally {
      server.close()
    }
  })
})

describe('exit codes', () => {
  it.each([0, 1, 3, 124, 255])("%i is the command's own", async (code) => {
    expect((await run('--', `exit ${code}`)).code).toBe(code)
  })

  it.each([
    ['KILL', 137],
    ['TERM', 143],
    ['SEGV', 139],
  ])('a command that SIG%s ended gives %i', async (signal, code) => {
    expect((await run('--', `kill -${signal} $$`)).code).toBe(code)
  })

  it('a program that is not there gives 127, one that cannot be executed 126', async () => {
    // A directory of PATH that is closed to the user gives EACCES, as execvp(3) says.
    const env = { PATH: '/usr/bin:/bin' }
    expect(await home.run(['run', '--', 'no-such-program', 'x'], { env })).toMatchObject({
      ...refused({ code: 'SPAWN_FAILED', step: 'exec', errno: 'ENOENT', program: 'no-such-program' }),
      code: 127,
    })
    expect((await run('--', '/etc/passwd', 'x')).code).toBe(126)
    expect((await home.run(['run', '--', 'no-such-program'], { env })).code).toBe(127)
    expect((await run('--', '/etc/passwd')).code).toBe(126)
  })

  it.each([
    ['300ms', 300],
    ['0.3s', 300],
    ['0.005m', 300],
    ['300', 300],
  ])('124 after --timeout %s, which is %i ms, as stderr says', async (time, ms) => {
    const ran = await run('--timeout', time, '--', 'printf partial; sleep 30')
    expect(ran).toMatchObject({ code: 124, stdout: 'partial', stderr: timedOut(ms) })
  })

  it('the output limit ends the command with 125 and says so; 0 is no limit', async () => {
    const limited = await home.run(['run', '--', 'yes'], { env: { VITRINE_OUTPUT_MAX_BYTES: '100000' } })
    expect(limited.code).toBe(125)
    expect(limited.stderr).toContain(endLines({ kind: 'output-limit', limit: 100_000 }))
    expect(limited.stderr).toMatch(/^vitrine: .*Print less.*\[output\] max_bytes/m)
    const env = { VITRINE_OUTPUT_MAX_BYTES: '0' }
    const unlimited = await home.run(['run', '--', 'yes | head -c 200000'], { env })
    expect(unlimited).toMatchObject({ code: 0, stderr: '' })
    expect(unlimited.stdout).toHaveLength(200_000)
  })
})

describe("vitrine's own lines", () => {
  it('name the limit on the size of files where it keeps the sandbox from starting', async () => {
    const ran = await home.shell('ulimit -f 0; vitrine run -- true')
    expect(ran.code).toBe(125)
    expect(ran.stderr).toContain('ulimit -f')
  })

  it('tell of background processes that live on in write mode, with the group that ends them', async () => {
    const marker = makeMarker()
    const ran = await run('--write', '--', `sleep ${marker} > /dev/null 2>&1 & echo started`)
    expect(ran).toMatchObject({ code: 0, stdout: 'started\n' })
    const group = Number(/kill -- -(\d+)/.exec(ran.stderr)?.[1])
    process.kill(-group, 'SIGKILL')
    expect(await survivors(marker)).toEqual([])
  })

  it('with --scratchpad the whole output is saved, and the line says where', async () => {
    const ran = await run('--scratchpad', 'kept', '--', 'seq 20000')
    const path = /is in (.*)$/m.exec(ran.stderr)?.[1] ?? ''
    expect(readFileSync(path, 'utf8')).toBe(ran.stdout)
    expect(ran.stdout).toHaveLength(108_894)
  })
})

it('in read mode nothing outlives the command line', async () => {
  const marker = makeMarker()
  await run('--', `setsid sleep ${marker} > /dev/null 2>&1 & echo started`)
  expect(await survivors(marker)).toEqual([])
})

it('a command that holds its output open in the background delays nothing', async () => {
  const marker = makeMarker()
  const ran = await run('--', `sleep ${marker} & echo hi`)
  expect(ran).toMatchObject({ code: 0, stdout: 'hi\n', stderr: prefixed(survivorsText(1)) })
  expect(await survivors(marker)).toEqual([])
})

it.each<[Outcome, Partial<Result>, number]>([
  [{ kind: 'timed-out', afterMs: 9 }, { exitCode: 7 }, 124],
  [{ kind: 'limited', limit: 'processes', value: 1 }, { exitCode: 7 }, 137],
  [{ kind: 'cancelled' }, { exitCode: 7 }, 7],
  [{ kind: 'cancelled' }, { signal: 'SIGTERM' }, 143],
  [{ kind: 'cancelled' }, {}, 125],
])('%j with %j: the exit code of `run` is %d', (outcome, given, code) => {
  expect(exitCodeOf({ exitCode: null, signal: null, ...given, outcome } as Result)).toBe(code)
})
