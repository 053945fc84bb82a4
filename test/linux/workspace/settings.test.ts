import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Host } from '../../../src/host/host.ts'
import { openAudited } from '../../audit/place.ts'
import { Home } from '../../cli/vitrine.ts'
import { makeDirectory, openTestShell } from '../../helpers/place.ts'
import { addonless, probing, unavailable } from '../../sandbox/hosts.ts'

const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.org']

/** A repository with a commit. */
function makeRepository(): string {
  const cwd = join(makeDirectory(), 'project')
  mkdirSync(cwd)
  const git = (...args: string[]) => execFileSync('git', [...identity, ...args], { cwd, stdio: 'pipe' })
  git('init', '-q')
  writeFileSync(join(cwd, 'file'), 'x\n')
  git('add', '-A')
  git('commit', '-qm', 'first')
  return cwd
}

interface Settings {
  readonly cwd?: string
  readonly workspace?: string
  readonly host?: Host
  readonly home?: string
  readonly state?: string
}

/** A shell in workspace mode; `workspace` is that section of the user's configuration. */
function openIn({ cwd = makeRepository(), workspace = '', host, home = '/nonexistent', state }: Settings) {
  const env = { HOME: home, ...(state && { XDG_STATE_HOME: state }) }
  return openTestShell({
    cwd,
    mode: 'workspace',
    toml: `[workspace]\n${workspace}\n`,
    env,
    ...(host && { host }),
  })
}

const linux = describe.runIf(process.platform === 'linux')

linux('[workspace] writable', () => {
  it('opens a directory outside of the workspace, and only that', async () => {
    const [open, closed] = [makeDirectory(), makeDirectory()]
    const shell = await openIn({ workspace: `writable = [${JSON.stringify(open)}]` })
    await shell.execute({ command: `echo x > ${open}/made; echo x > ${closed}/made` })
    expect([existsSync(join(open, 'made')), existsSync(join(closed, 'made'))]).toEqual([true, false])
  })

  const home = makeDirectory()
  symlinkSync('/', join(home, 'link'))
  writeFileSync(join(home, 'file'), '')
  mkdirSync(join(home, 'users/a'), { recursive: true })
  mkdirSync(join(home, 'state/vitrine/deep'), { recursive: true })
  const unfit = [
    ['the root', '/', home],
    ['the home directory', home, home],
    ['a directory above it', dirname(home), home],
    ['a directory above it that is the home of no configuration', join(home, 'users'), join(home, 'users/a')],
    ['a link to the root', join(home, 'link'), home],
    ['a file', join(home, 'file'), '/nonexistent'],
    ["vitrine's own directory", join(home, 'state/vitrine'), '/nonexistent'],
    ['what lies in it', join(home, 'state/vitrine/deep'), '/nonexistent'],
    ['what is around it', join(home, 'state'), '/nonexistent'],
  ] as const

  it.each(unfit)('refuses %s', async (_, path, HOME) => {
    const opening = openIn({
      workspace: `writable = [${JSON.stringify(path)}]`,
      home: HOME,
      state: join(home, 'state'),
    })
    const remedy = expect.stringContaining('[workspace] writable')
    await expect(opening).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE', refusal: { remedy } })
  })

  it.each(['/', 'users/a', 'users'])(
    'refuses %s as the workspace, where users/a is the home directory',
    async (place) => {
      const opening = openIn({ cwd: resolve(home, place), home: join(home, 'users/a') })
      await expect(opening).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' })
    },
  )
})

linux('[workspace] protected', () => {
  it('protects nothing as []', async () => {
    const shell = await openIn({ workspace: 'protected = []' })
    await shell.execute({ command: 'echo x > .envrc; echo x > .git/hooks/pre-commit; git config a.b c' })
    expect(existsSync(join(shell.cwd, '.envrc'))).toBe(true)
    expect(existsSync(join(shell.cwd, '.git/hooks/pre-commit'))).toBe(true)
    expect(readFileSync(join(shell.cwd, '.git/config'), 'utf8')).toContain('b = c')
  })

  it('makes all of .git read-only as [".git"], and nothing else', async () => {
    const shell = await openIn({ workspace: 'protected = [".git"]' })
    const index = readFileSync(join(shell.cwd, '.git/index'))
    const { exitCode } = await shell.execute({ command: 'echo y > file; echo x > .envrc; git add file' })
    expect(exitCode).not.toBe(0)
    expect(readFileSync(join(shell.cwd, '.git/index'))).toEqual(index)
    expect(readFileSync(join(shell.cwd, 'file'), 'utf8')).toBe('y\n')
    expect(existsSync(join(shell.cwd, '.envrc'))).toBe(true)
  })

  it.each(['defualt', '../outside', 'a/../../b'])('refuses %s', async (entry) => {
    const opening = openIn({ workspace: `protected = ["${entry}"]` })
    await expect(opening).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      refusal: { key: 'workspace.protected[0]' },
    })
  })
})

linux('what is said about a command of workspace mode', () => {
  it('the result, its enforcement, the audit log and the scratchpad name the mode', async () => {
    const { shell, lines } = await openAudited({
      cwd: makeRepository(),
      mode: 'workspace',
      env: { HOME: '/dev/null/home' },
    })
    const { mode, enforcement } = await shell.execute({ command: 'echo x', scratchpad: 'x' })
    expect(mode).toBe('workspace')
    for (const right of [
      'workspace',
      'file contents',
      'file metadata',
      'network',
      'survivors',
      'private tmp',
    ])
      expect([right, enforcement[right]?.enforced]).toEqual([right, true])
    expect(enforcement['workspace']?.note).toContain(shell.cwd)
    expect(lines()[0]).toMatchObject({ mode: 'workspace', outcome: 'exited' })
    expect(shell.scratchpad.entries()).toMatchObject([{ name: 'x', metadata: { mode: 'workspace' } }])
  })

  it('the command line decides in the mode, runs in it, and says so', async () => {
    const home = new Home()
    const cwd = makeRepository()
    const check = (...args: string[]) => home.run(['policy', 'check', ...args, '--', 'rm -rf build'], { cwd })
    expect((await check('--mode', 'workspace')).code).toBe(0)
    expect((await check('--write')).code).toBe(1)
    const line = 'echo x > made; echo x > ../made'
    const { stdout } = await home.run(['run', '--json', '--mode', 'workspace', '--', line], { cwd })
    expect(JSON.parse(stdout)).toMatchObject({ mode: 'workspace', backend: 'local' })
    expect([existsSync(join(cwd, 'made')), existsSync(join(cwd, '../made'))]).toEqual([true, false])
  })
})

linux('where it cannot be held', () => {
  const hosts = [
    ['Landlock below ABI 3', () => probing({ landlockAbi: 2 }), 'ABI 2'],
    ['no listener', () => probing({ listener: false, listenerErrno: 16, listenerProves: false }), 'EBUSY'],
    ['no Landlock', () => probing({ landlockAbi: 0, landlockErrno: 38 }), 'Landlock'],
    ['no addon', () => addonless(), 'no build was found'],
    ['macOS without sandbox-exec', () => addonless('macos'), 'sandbox-exec'],
  ] as const

  it.each(hosts)('with %s it is refused, and nothing runs', async (_, host, got) => {
    const cwd = makeRepository()
    await expect(openIn({ cwd, host: host() })).rejects.toEqual(unavailable(got))
    const shell = await openTestShell({ cwd, mode: 'write', host: host(), env: { HOME: '/dev/null/home' } })
    expect(() => {
      shell.mode = 'workspace'
    }).toThrow(expect.objectContaining({ code: 'SANDBOX_UNAVAILABLE' }))
    expect(shell.mode).toBe('write')
  })
})
