import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Shell } from '../../../../src/index.ts'
import { gitEnvironment } from '../../../helpers/git.ts'
import { makeDirectory, openTestShell } from '../../../helpers/place.ts'

/** A repository with one commit, a library beside it to clone, and the state directory of its shells. */
function makeProject(script = 'true') {
  const parent = makeDirectory()
  const [cwd, state] = [join(parent, 'project'), join(parent, 'state')]
  for (const directory of [cwd, join(parent, 'home')]) mkdirSync(directory)
  const given = 'git init -q; git commit -q --allow-empty -m first; git init -q --bare ../library; mkdir src'
  execFileSync('sh', ['-ec', `${given}; ${script}`], { cwd, env: gitEnvironment(cwd), stdio: 'pipe' })
  const open = (mode: Shell['mode'] = 'workspace') =>
    openTestShell({ cwd, mode, env: { ...gitEnvironment(join(parent, 'home')), XDG_STATE_HOME: state } })
  return { cwd, state, open }
}

const python = (text: string) => `python3 -c '${text}'`

/** Ways in which a command makes the repository `at`, two directories down and deeper. */
const ways = [
  ['vendor/sub/.git', 'git init -q vendor/sub'],
  ['vendor/bare', 'git init -q --bare vendor/bare'],
  ['vendor/sub/.git', 'git clone -q ../library vendor/sub'],
  ['a/b/c/d/sub/.git', 'git init -q a/b/c/d/sub'],
  ['vendor/sub/.git', 'git init -q $TMPDIR/r; mkdir vendor; mv $TMPDIR/r vendor/sub'],
  [
    'vendor/sub/.git',
    'git init -q $TMPDIR/r; tar cf src/t -C $TMPDIR r; mkdir vendor; tar xf src/t -C vendor; mv vendor/r vendor/sub',
  ],
  ['vendor/sub/.git', 'git init -q $TMPDIR/r; mkdir vendor; cp -r $TMPDIR/r vendor/sub'],
  ['vendor/sub/.git', 'git init -q --bare src/new; mkdir -p vendor/sub; mv src/new vendor/sub/.git'],
  ['src/x/new', 'git init -q --bare src/x/old; mv src/x src/y; mkdir src/x; mv src/y/old src/x/new'],
  [
    'src/x/b',
    'mkdir src/x; git init -q --bare src/x/a; mkdir src/x/b; ' +
      python('import ctypes; print(ctypes.CDLL(None).syscall(316, -100, b"src/x/a", -100, b"src/x/b", 2))'),
  ],
  [
    'src/sub/.git',
    'mkdir -p src/sub/.git src/o src/r; cp .git/HEAD src/sub/.git; cd src/sub/.git; ln -s ../../o objects; ln -s ../../r refs',
  ],
  [
    'src/x/b',
    'mkdir -p src/x/b/refs; cd src/x/b; cp ../../../.git/HEAD .; ' +
      python('import os; os.close(os.open("objects", os.O_CREAT | os.O_WRONLY, 0o755))'),
  ],
  ['src/x/b', 'mkdir -p src/x/b/refs; cd src/x/b; cp ../../../.git/HEAD .; echo > objects; chmod +x objects'],
  [
    'src/x/b',
    'mkdir -p src/x/b/objects; cd src/x/b; cp ../../../.git/HEAD .; echo > r; chmod +x r; ln r refs',
  ],
] as const

describe.runIf(process.platform === 'linux')('a repository that a command makes', () => {
  it.each(ways)('at %s, is told, and protected from the next command on: %s', async (at, command) => {
    const { cwd, open } = makeProject()
    const shell = await open()
    const top = join(cwd, at).replace(/\/\.git$/, '')
    const made = await shell.execute({ command: `${command}; ! test -e nothing` })
    expect(existsSync(join(cwd, at, 'HEAD')), made.stderr).toBe(true)
    expect(made.handoffs).toContainEqual({ path: top, kind: 'repository', obeyedBy: 'git' })
    const config = readdirSync(join(cwd, at))
    const then = await shell.execute({
      command: `echo x > ${at}/hooks/pre-commit; echo x >> ${at}/config; mv ${at} elsewhere; ln -s x ${at}/commondir`,
    })
    expect(readdirSync(join(cwd, at)), then.stderr).toEqual(config)
    expect(then.denials.length).toBeGreaterThan(2)
  })

  it('is protected from another shell, in another process, with another mode before', async () => {
    const { cwd, open } = makeProject()
    await (await open()).execute({ command: 'git init -q vendor/lib/deep' })
    const other = await open('read')
    other.mode = 'workspace'
    const { exitCode } = await other.execute({ command: 'echo x > vendor/lib/deep/.git/hooks/pre-commit' })
    expect([exitCode, existsSync(join(cwd, 'vendor/lib/deep/.git/hooks/pre-commit'))]).toEqual([2, false])
  })

  it('can be set up by the command that makes it, and used by later ones', async () => {
    const { open } = makeProject()
    const shell = await open()
    const set =
      'git init -q vendor/lib && git -C vendor/lib config user.name A && git -C vendor/lib config user.email a@b'
    expect(await shell.execute({ command: set })).toMatchObject({ exitCode: 0 })
    const use =
      'cd vendor/lib && echo 1 > f && git add f && git commit -qm 1 && git checkout -qb topic && git stash list'
    expect(await shell.execute({ command: use })).toMatchObject({ exitCode: 0, handoffs: [] })
  })

  it('is forgotten when it has gone', async () => {
    const { cwd, state, open } = makeProject()
    const shell = await open()
    await shell.execute({ command: 'git init -q vendor/a; git init -q vendor/b' })
    const [record = ''] = readdirSync(join(state, 'vitrine/repositories')).filter(
      (name) => !name.endsWith('.json'),
    )
    const entries = () => readdirSync(join(state, 'vitrine/repositories', record)).length
    expect(entries()).toBe(2)
    rmSync(join(cwd, 'vendor/a'), { recursive: true })
    await shell.execute({ command: 'git init -q vendor/c' })
    expect(entries()).toBe(2)
    await shell.execute({ command: 'git init -q vendor/a && git -C vendor/a config user.name A' })
    expect(entries()).toBe(3)
  })

  it('is recorded for no other user', async () => {
    const { state, open } = makeProject()
    await (await open()).execute({ command: 'git init -q vendor/a' })
    const directory = join(state, 'vitrine/repositories')
    const modes = readdirSync(directory, { recursive: true, encoding: 'utf8' }).map(
      (name) => statSync(join(directory, name)).mode & 0o777,
    )
    expect(new Set(modes)).toEqual(new Set([0o600, 0o700]))
  })

  it('is not made where its path is not UTF-8', async () => {
    const { open } = makeProject()
    const command = python('import os; os.makedirs(b"src/\\xff"); os.mkdir(b"src/\\xff/.git")')
    const { stderr, exitCode } = await (await open()).execute({ command })
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('Invalid or incomplete multibyte')])
  })
})

describe.runIf(process.platform === 'linux')('a repository that was there before', () => {
  const hook = 'a/b/c/sub/.git/hooks/pre-commit'

  it('is protected at any depth from the first command on', async () => {
    const { cwd, open } = makeProject('git init -q a/b/c/sub; git init -q --bare a/b/bare')
    const shell = await open()
    await shell.execute({ command: `echo x > ${hook}; echo x >> a/b/bare/config; mv a/b/c a/b/d` })
    expect(existsSync(join(cwd, hook))).toBe(false)
    expect(shell.enforcement['workspace']?.note).not.toContain('searched')
  })

  it('is found beside a later command when the owner has made it meanwhile', async () => {
    const { cwd, state, open } = makeProject()
    const first = await open()
    await first.execute({ command: 'true' })
    execFileSync('git', ['init', '-q', 'a/b/c/sub'], { cwd, env: gitEnvironment(cwd) })
    const [walk = ''] = readdirSync(join(state, 'vitrine/repositories')).filter((name) =>
      name.endsWith('.json'),
    )
    writeFileSync(
      join(state, 'vitrine/repositories', walk),
      JSON.stringify({ at: 1, tookMs: 1, isWhole: true }),
    )
    const second = await open()
    const isRecorded = 'until ls "$0"/*/* > /dev/null 2>&1; do sleep 0.05; done'
    const found = await second.execute({
      argv: ['sh', '-c', isRecorded, join(state, 'vitrine/repositories')],
    })
    expect(found).toMatchObject({ exitCode: 0, handoffs: [] })
    await second.execute({ command: `echo x > ${hook}` })
    expect(existsSync(join(cwd, hook))).toBe(false)
  })

  it('may be unprotected where a directory could not be searched, and enforcement says so', async () => {
    const { cwd, open } = makeProject()
    const deep = join(cwd, `src/${'d'.repeat(200)}`)
    mkdirSync(deep)
    execFileSync('python3', ['-c', 'import os, sys; os.mkdir(sys.argv[1].encode() + b"/\\xff")', deep])
    const shell = await open()
    const { enforcement } = await shell.execute({ command: 'true' })
    expect(enforcement['workspace']?.note).toContain('not every directory was searched for repositories')
  })

  it('stays protected while nothing can be recorded, and enforcement says why', async () => {
    const { cwd, state, open } = makeProject('git init -q a/b/c/sub')
    mkdirSync(join(state, 'vitrine'), { recursive: true })
    writeFileSync(join(state, 'vitrine/repositories'), '')
    const shell = await open()
    await shell.execute({ command: `echo x > ${hook}; git init -q vendor/new` })
    const { enforcement } = await shell.execute({ command: 'echo x > vendor/new/.git/hooks/pre-commit' })
    expect(existsSync(join(cwd, hook))).toBe(false)
    expect(existsSync(join(cwd, 'vendor/new/.git/hooks/pre-commit'))).toBe(false)
    expect(enforcement['workspace']?.note).toContain('forgotten with this process')
    rmSync(join(state, 'vitrine/repositories'))
    chmodSync(join(state, 'vitrine'), 0o700)
  })
})

/** Threads change the path of a call while another one makes it. */
const race = `
import ctypes, os, threading, time
libc = ctypes.CDLL(None)
path = ctypes.create_string_buffer(b"src/r/none\\0\\0\\0")
os.makedirs("src/r/refs"); os.makedirs("src/q")
over = False
def flip():
    while not over:
        path[6:11] = b"objec"; path[11:13] = b"ts"
        path[6:11] = b"none\\0"
threading.Thread(target=flip).start()
until = time.monotonic() + 1.5
calls = [lambda: libc.mkdir(path, 0o755), lambda: libc.symlink(b"q", path), lambda: libc.rename(b"src/q", path),
         lambda: libc.open(path, os.O_CREAT | os.O_WRONLY, 0o755), lambda: libc.mknod(path, 0o100755, 0)]
while time.monotonic() < until and not os.path.lexists("src/r/objects"):
    os.makedirs("src/q", exist_ok=True)
    CALL
    if os.path.lexists("src/r/none"): os.rename("src/r/none", "src/r/n%d" % time.monotonic_ns())
over = True
print(os.path.lexists("src/r/objects"))
`

describe.runIf(process.platform === 'linux')('a thread that changes the path of a call', () => {
  it.each([0, 1, 2, 3, 4])('makes no repository that is not told (call %i)', async (call) => {
    const { cwd, open } = makeProject('touch src/existing')
    const script = race.replace('CALL', `calls[${call}]()${call === 3 ? '; os.closerange(3, 20)' : ''}`)
    writeFileSync(join(cwd, 'race.py'), script)
    const shell = await open()
    // As of the start `src` holds nothing protected: Landlock grants what is made there.
    const { stdout, handoffs, stderr } = await shell.execute({ command: 'python3 race.py' })
    expect(stdout, stderr).toBe('True\n')
    expect(handoffs.map(({ path }) => path)).toEqual([join(cwd, 'src/r')])
  })
})
