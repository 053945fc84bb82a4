import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hintBehind } from '../../../src/base/hint.ts'
import type { Mode, Result } from '../../../src/base/types.ts'
import { thisHost } from '../../../src/host/host.ts'
import { users } from '../../attacks/table.ts'
import { makeDirectory, openTestShell } from '../../helpers/place.ts'
import { isInstalled } from '../../helpers/programs.ts'
import { runAs } from '../../helpers/run-as.ts'
import { cannotBorrow } from '../../helpers/surroundings.ts'
import { prelude } from '../workspace/own-sandbox/rows.ts'

const canRun = process.platform === 'linux' && isInstalled('python3')
const isRoot = process.getuid?.() === 0
const [other] = users.slice(1)

const python = (text: string) => ['python3', '-c', `${prelude}\n${text}`]

/** A ruleset that handles no files: `network` are rights of TCP, 1 to bind and 2 to connect. */
const domain = (network: number) => `landlock(files=0, network=${network})`

describe.runIf(canRun && isRoot && other)('a program of root’s that drops CAP_DAC_READ_SEARCH', () => {
  /** A workspace that all may change, in a directory that another user has shut. */
  function makeShut(): string {
    const shut = join(makeDirectory(), 'shut')
    const cwd = join(shut, 'work')
    mkdirSync(join(cwd, '.vscode'), { recursive: true })
    writeFileSync(join(cwd, 'own'), '')
    if (other) chownSync(shut, other.uid, other.gid)
    chmodSync(shut, 0o700)
    chmodSync(cwd, 0o777)
    return cwd
  }

  async function run(mode: Mode, narrow: string, act: string) {
    const cwd = makeShut()
    const shell = await openTestShell({ cwd, mode })
    const result = await shell.execute({ argv: python(`here = ${JSON.stringify(cwd)}\n${narrow}\n${act}`) })
    return { cwd, result }
  }

  it.each([
    ['mkdir', 'os.mkdir(here + "/new")', (cwd: string) => existsSync(join(cwd, 'new'))],
    [
      'chmod',
      'os.chmod(here + "/own", 0o604)',
      (cwd: string) => (lstatSync(join(cwd, 'own')).mode & 0o777) === 0o604,
    ],
  ])('gets no further by the notifier than by itself: %s', async (_name, act, isDone) => {
    const free = await run('workspace', '', act)
    expect([isDone(free.cwd), free.result.stderr]).toEqual([true, ''])
    for (const mode of ['write', 'workspace'] as const) {
      const { cwd, result } = await run(mode, 'drop_capabilities()', act)
      expect(isDone(cwd), mode).toBe(false)
      expect(result.stderr).toMatch(/PermissionError|Read-only/)
    }
  })

  it('goes on where it needs none', async () => {
    const { cwd, result } = await run(
      'workspace',
      'drop_capabilities(); os.setresuid(0, 0, 0)',
      'os.stat(".")',
    )
    expect(result).toMatchObject({ exitCode: 0, denials: [] })
    expect(existsSync(cwd)).toBe(true)
  })
})

describe.runIf(canRun && isRoot && other)('a host whose real user is another', () => {
  const host = `import os, sys; os.setresgid(${other?.gid}, 0, 0); os.setresuid(${other?.uid}, 0, 0); os.execvp(sys.argv[1], sys.argv[1:])`

  async function identities(mode: Mode, text: string): Promise<Result | undefined> {
    const options = { mode, cwd: makeDirectory() }
    chmodSync(options.cwd, 0o755) // access(2) asks for the real user
    const wrapper = ['python3', '-c', host]
    const [result] = await runAs(users[0] as (typeof users)[number], {
      options,
      commands: [python(text)],
      wrapper,
    })
    return result
  }

  it('has commands that cannot become that user, while the notifier acts as this one', async () => {
    const become = `os.setresuid(${other?.uid}, ${other?.uid}, ${other?.uid})`
    expect((await identities('write', become))?.exitCode).toBe(0)
    for (const mode of ['read', 'workspace'] as const) {
      const result = await identities(mode, become)
      expect(result?.stderr, mode).toContain('PermissionError')
      const ids = await identities(mode, 'print(os.getresuid(), os.getresgid())')
      expect(ids?.stdout).toBe('(0, 0, 0) (0, 0, 0)\n')
    }
  })
})

/** Landlock knows TCP since ABI 4. */
const knowsTcp = (thisHost().probe?.landlockAbi ?? 0) >= 4

describe.runIf(canRun && knowsTcp && cannotBorrow() === null)(
  'a domain of a program’s own that knows TCP',
  () => {
    const server = createServer((socket) => socket.end())
    let port = 0

    beforeAll(async () => {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      port = (server.address() as { port: number }).port
    })
    afterAll(() => server.close())

    const connect = () => `socket.create_connection(("127.0.0.1", port), 5)`
    const proxy = 'port = int(os.environ["HTTP_PROXY"].rsplit(":", 1)[1].strip("/"))'
    const listed = () => ({ mode: 'read', network: [`127.0.0.1:${port}`] }) as const

    it('keeps it from the proxy of a list of hosts', async () => {
      const shell = await openTestShell(listed())
      const run = (narrow: string) => shell.execute({ argv: python(`${proxy}\n${narrow}\n${connect()}`) })
      expect(await run('')).toMatchObject({ exitCode: 0, denials: [] })
      const refused = await run(domain(2))
      expect(refused.stderr).toContain('PermissionError')
      expect(refused.denials).toMatchObject([{ operation: 'connect', ownSandbox: true }])
      expect(hintBehind(refused)?.remedy).toMatchObject({ kind: 'own-sandbox' })
      expect(refused.hint).toContain('run it without its own sandbox')
    })

    it('decides so outside of vitrine', async () => {
      const shell = await openTestShell({ mode: 'write' })
      const run = (narrow: string) =>
        shell.execute({ argv: python(`port = ${port}\n${narrow}\n${connect()}`) })
      expect((await run('')).exitCode).toBe(0)
      expect((await run(domain(2))).stderr).toContain('PermissionError')
    })

    it.each([
      ['a port that the kernel picks', 1, 'socket.socket().bind(("127.0.0.1", 0))', 'PermissionError'],
      ['a netlink socket, which it does not know', 1, 'socket.socket(16, 3, 0).bind((0, 0))', ''],
    ] as const)('keeps a client from binding %s', async (_name, network, bind, error) => {
      const shell = await openTestShell({ mode: 'read', network: true })
      const outside = await openTestShell({ mode: 'write' })
      expect(await shell.execute({ argv: python(bind) })).toMatchObject({ exitCode: 0, stderr: '' })
      for (const each of [shell, outside]) {
        const { stderr } = await each.execute({ argv: python(`${domain(network)}\n${bind}`) })
        expect(stderr, each.mode).toContain(error)
        expect(stderr === '').toBe(error === '')
      }
    })
  },
)

describe.runIf(canRun)('a private TMPDIR in read mode', () => {
  it('stays as it is where a program’s own domain says so, and is locked as outside', async () => {
    const shell = await openTestShell({ mode: 'read', privateTmp: true })
    const result = await shell.execute({
      argv: python(`
import fcntl
os.chdir(os.environ["TMPDIR"]); open("made", "w").write("own"); landlock()
for act in (lambda: open("new", "w"), lambda: os.unlink("made"), lambda: os.mkdir("new"), lambda: os.truncate("made", 0),
            lambda: socket.socket(socket.AF_UNIX).bind("new")):
    try: act()
    except PermissionError: continue
    sys.exit(3)
os.chmod("made", 0o600); os.utime("made", (1, 1)); fcntl.flock(os.open("made", os.O_RDONLY), fcntl.LOCK_EX)
print(os.listdir("."), open("made").read())`),
    })
    expect(result).toMatchObject({ exitCode: 0, stdout: "['made'] own\n" })
  })
})
