import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeMarker, survivors } from '../helpers/processes.ts'
import { Home } from './vitrine.ts'

const home = new Home()
const run = (...args: string[]) => home.run(['run', ...args])

describe('what comes out', () => {
  test('stdout and stderr hold the bytes of the command, whatever they are, and nothing else', async () => {
    const ran = await run('--', `printf 'a\\377\\000b\\r'; printf 'to stderr' >&2`)
    expect(ran.bytes).toEqual(Buffer.from([0x61, 0xff, 0, 0x62, 0x0d]))
    expect(ran).toMatchObject({ code: 0, stderr: 'to stderr' })
  })

  test('output streams while the command runs', async () => {
    const fifo = join(home.directory, 'fifo')
    const ran = await home.shell(
      `mkfifo ${fifo}; vitrine run --write -- 'echo first; cat ${fifo}' | { read line; echo "$line" > ${fifo}; cat; }`,
    )
    expect(ran.stdout).toBe('first\n')
  })

  test('--merged gives one stream in the order written', async () => {
    const ran = await run('--merged', '--', 'for i in 1 2 3; do echo out$i; echo err$i >&2; done')
    expect(ran).toMatchObject({ stdout: 'out1\nerr1\nout2\nerr2\nout3\nerr3\n', stderr: '' })
  })
})

describe('what runs', () => {
  test('one word is a line for sh', async () => {
    expect((await run('--', 'echo a b | tr a-z A-Z')).stdout).toBe('A B\n')
  })

  test('several words are a program and its arguments, which no shell sees', async () => {
    expect((await run('--', 'printf', '%s|', '$HOME', '*', 'a  b', '--json', '--')).stdout).toBe(
      '$HOME|*|a  b|--json|--|',
    )
  })

  test('--cwd is where it runs', async () => {
    mkdirSync(join(home.directory, 'below'))
    expect((await run('--cwd', 'below', '--', 'pwd')).stdout).toBe(`${join(home.directory, 'below')}\n`)
  })

  test('read mode changes nothing and says what to do; --write changes it', async () => {
    const file = join(home.directory, 'file')
    writeFileSync(file, 'before\n')
    const read = await run('--', `echo after > ${file}`)
    expect(readFileSync(file, 'utf8')).toBe('before\n')
    expect(read.code).not.toBe(0)
    expect(read.stderr).toMatch(/^vitrine: Read mode refuse[sd] .* write mode\.$/m)
    expect(await run('--write', '--', `echo after > ${file}`)).toMatchObject({ code: 0, stderr: '' })
    expect(readFileSync(file, 'utf8')).toBe('after\n')
  })

  test('the first refusals stand on stderr, a line each; the rest is counted', async () => {
    const { stderr } = await run('--', 'for i in 1 2 3 4 5 6 7 8; do mkdir "new$i" 2>&1; done')
    const lines = stderr.split('\n').filter((line) => line.startsWith('vitrine: refused '))
    // The hint names the first.
    const told = [2, 3, 4, 5, 6].map(
      (i) => `vitrine: refused to create ${join(home.directory, `new${i}`)} (mkdir)`,
    )
    expect(lines).toEqual([...told, 'vitrine: refused 2 more'])
    const many = await run('--', 'seq -f "mkdir new%g" 100 | sh 2>/dev/null')
    expect(many.stderr).toContain('\nvitrine: refused 94 more\n')
  })

  test('only --network lets a TCP client through', async () => {
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
  test.each([0, 1, 3, 124, 255])("%i is the command's own", async (code) => {
    expect((await run('--', `exit ${code}`)).code).toBe(code)
  })

  test.each([
    ['KILL', 137],
    ['TERM', 143],
    ['SEGV', 139],
  ])('a command that SIG%s ended gives %i', async (signal, code) => {
    expect((await run('--', `kill -${signal} $$`)).code).toBe(code)
  })

  test('a program that is not there gives 127, one that cannot be executed 126', async () => {
    // A directory of PATH that is closed to the user gives EACCES, as execvp(3) says.
    const env = { PATH: '/usr/bin:/bin' }
    expect(await home.run(['run', '--', 'no-such-program', 'x'], { env })).toMatchObject({
      code: 127,
      stderr: 'vitrine: no-such-program: not found.\n',
    })
    expect((await run('--', '/etc/passwd', 'x')).code).toBe(126)
    expect((await home.run(['run', '--', 'no-such-program'], { env })).code).toBe(127)
    expect((await run('--', '/etc/passwd')).code).toBe(126)
  })

  test('timed out gives 124 and says after how long', async () => {
    const ran = await run('--timeout', '300ms', '--', 'printf partial; sleep 30')
    expect(ran).toMatchObject({ code: 124, stdout: 'partial' })
    expect(ran.stderr).toBe('vitrine: timed out after 300 ms; the command was killed\n')
  })

  test.each([
    ['0.3s', 300],
    ['0.005m', 300],
    ['300', 300],
  ])('--timeout %s is %i ms', async (time, ms) => {
    expect((await run('--timeout', time, '--', 'sleep 30')).stderr).toContain(`after ${ms} ms`)
  })

  test('a timeout over the maximum is capped', async () => {
    const ran = await home.run(['run', '--timeout', '9999h', '--', 'sleep 30'], {
      env: { VITRINE_SHELL_MAX_TIMEOUT_MS: '300' },
    })
    expect(ran.stderr).toContain('after 300 ms')
  })

  test('the output limit ends the command with 125 and says so; 0 is no limit', async () => {
    const limited = await home.run(['run', '--', 'yes'], { env: { VITRINE_OUTPUT_MAX_BYTES: '100000' } })
    expect(limited.code).toBe(125)
    expect(limited.stderr).toMatch(/^vitrine: .*output limit: 100000 bytes/m)
    const unlimited = await home.run(['run', '--', 'yes | head -c 200000'], {
      env: { VITRINE_OUTPUT_MAX_BYTES: '0' },
    })
    expect(unlimited).toMatchObject({ code: 0, stderr: '' })
    expect(unlimited.stdout).toHaveLength(200_000)
  })
})

describe("vitrine's own lines", () => {
  test('begin on a line of their own', async () => {
    const ran = await run('--timeout', '300ms', '--', 'printf unfinished >&2; sleep 30')
    expect(ran.stderr).toMatch(/^unfinished\nvitrine: timed out/)
  })

  test('tell of background processes that live on in write mode, with the group that ends them', async () => {
    const marker = makeMarker()
    const ran = await run('--write', '--', `sleep ${marker} > /dev/null 2>&1 & echo started`)
    expect(ran).toMatchObject({ code: 0, stdout: 'started\n' })
    const group = Number(/kill -- -(\d+)/.exec(ran.stderr)?.[1])
    expect(ran.stderr).toMatch(/^vitrine: 1 background process /)
    process.kill(-group, 'SIGKILL')
    expect(await survivors(marker, 5000)).toEqual([])
  })

  test('tell once which values of a project file do not count', async () => {
    const project = join(home.directory, 'project')
    mkdirSync(project)
    writeFileSync(join(project, '.vitrine.toml'), '[shell]\nnetwork = true\n')
    const ran = await home.run(['run', '--', 'echo hi'], { cwd: project })
    expect(ran.stdout).toBe('hi\n')
    expect(ran.stderr.match(/shell\.network = true is ignored/g)).toHaveLength(1)
    expect(ran.stderr).toMatch(/^vitrine: /)
  })

  test('with --scratchpad the whole output is saved, and the line says where', async () => {
    const ran = await run('--scratchpad', 'kept', '--', 'seq 20000')
    const path = /is in (.*)$/m.exec(ran.stderr)?.[1] ?? ''
    expect(readFileSync(path, 'utf8')).toBe(ran.stdout)
    expect(ran.stdout).toHaveLength(108_894)
  })

  test('without it output is saved nowhere', async () => {
    const own = new Home()
    expect((await own.run(['run', '--', 'seq 20000'])).stdout).toHaveLength(108_894)
    expect(existsSync(join(own.directory, '.state'))).toBe(false)
  })
})

test('in read mode nothing outlives the command line', async () => {
  const marker = makeMarker()
  await run('--', `setsid sleep ${marker} > /dev/null 2>&1 & echo started`)
  expect(await survivors(marker, 5000)).toEqual([])
})

test('a command that holds its output open in the background delays nothing', async () => {
  const marker = makeMarker()
  const ran = await run('--', `sleep ${marker} & echo hi`)
  expect(ran.stdout).toBe('hi\n')
  expect(await survivors(marker, 5000)).toEqual([])
})
