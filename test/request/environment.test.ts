import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Mode } from '../../src/base/types.ts'
import {
  commandEnvironment,
  type EnvironmentSettings,
  type HostPlace,
} from '../../src/request/environment.ts'
import { environmentOf } from '../helpers/environment.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'
import { isInstalled } from '../helpers/programs.ts'
import { words } from '../helpers/words.ts'

const modes: readonly Mode[] = ['read', 'write']

/** The settings of git in GIT_CONFIG_COUNT and the like. */
function settingsIn(environment: Readonly<Record<string, string>>): Record<string, string> {
  const count = Number(environment['GIT_CONFIG_COUNT'])
  const places = Array.from({ length: count }, (_, at) => at)
  return Object.fromEntries(
    places.map((at) => [environment[`GIT_CONFIG_KEY_${at}`], environment[`GIT_CONFIG_VALUE_${at}`]]),
  )
}

const passing = words(`
  PATH HOME USER LOGNAME LANG LC_ALL LC_TIME TZ TERM SHELL TMPDIR XDG_RUNTIME_DIR JAVA_HOME GOPATH GOROOT
  CARGO_HOME RUSTUP_HOME NVM_DIR PYENV_ROOT VIRTUAL_ENV CONDA_PREFIX
`)

const never = words(`
  LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES BASH_ENV ENV VISUAL GIT_EDITOR GIT_SSH
  GIT_SSH_COMMAND GIT_ASKPASS SSH_ASKPASS GIT_DIR GIT_WORK_TREE GIT_EXEC_PATH GIT_EXTERNAL_DIFF
  GIT_CONFIG_PARAMETERS GIT_PROXY_COMMAND PYTHONSTARTUP PYTHONPATH PYTHONHOME NODE_OPTIONS NODE_PATH
  PERL5OPT PERL5LIB RUBYOPT RUBYLIB JAVA_TOOL_OPTIONS LESSOPEN LESSCLOSE MANPATH IFS PS4 SHELLOPTS BASHOPTS
  CDPATH PROMPT_COMMAND SSH_AUTH_SOCK DBUS_SESSION_BUS_ADDRESS DISPLAY AWS_SECRET_ACCESS_KEY GITHUB_TOKEN
  OPENAI_API_KEY NPM_TOKEN FOO BASH_FUNC_ls%%
`)

const forced: Readonly<Record<string, string>> = {
  PYTHONUNBUFFERED: '1',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  SHLVL: '1',
}

const forcedInRead: Readonly<Record<string, string>> = {
  GIT_OPTIONAL_LOCKS: '0',
  PYTHONDONTWRITEBYTECODE: '1',
}

describe.each(modes)('%s mode with what is listed: the environment', (mode) => {
  /** That is the default of read mode. */
  const inherit = mode === 'read' ? '' : 'env.inherit = "listed"\n'
  const listed = (env: Readonly<Record<string, string>> = {}, toml = '') =>
    environmentOf({ mode, env, toml: inherit + toml })

  it('never has what tells programs to load or run something, or is secret', async () => {
    const environment = await listed(Object.fromEntries(never.map((name) => [name, '/dev/null/x'])))
    expect(never.filter((name) => name in environment)).toEqual([])
  })

  it('holds nothing that is not listed', async () => {
    const own =
      mode === 'write'
        ? ['VITRINE_COMMAND']
        : [
            '(npm_config|PIP|CARGO_NET)_\\w+',
            'GODEBUG',
            'LESSHISTFILE',
            'NODE_DISABLE_COMPILE_CACHE',
            'PYTEST_ADDOPTS',
          ]
    const known = new RegExp(
      `^(${[...passing, ...Object.keys({ ...forced, ...forcedInRead }), 'EDITOR', ...own].join('|')}|LC_\\w+|XDG_\\w+|GIT_CONFIG_\\w+|LANGUAGE|COLORTERM|\\w+_HOME|\\w+_DIR|\\w+_ROOT|NVM_BIN|RUSTUP_TOOLCHAIN|PYENV_VERSION)$`,
    )
    expect(Object.keys(await listed()).filter((name) => !known.test(name))).toEqual([])
  })

  it('lets pass what [env] pass names, and what is absent stays absent', async () => {
    const env = { EDITOR: 'ed', FOO: 'bar', AWS_SECRET_ACCESS_KEY: 'secret' }
    const environment = await listed(env, 'env.pass = ["EDITOR", "FOO", "NOT_THERE"]\n')
    expect(environment).toMatchObject({ EDITOR: 'ed', FOO: 'bar' })
    for (const name of ['NOT_THERE', 'AWS_SECRET_ACCESS_KEY']) expect(environment).not.toHaveProperty(name)
  })

  it('[env] set wins over what passes', async () => {
    const environment = await listed({ LANG: 'de_DE' }, 'env.set = { LANG = "C", NEW = "x=y" }\n')
    expect(environment).toMatchObject({ LANG: 'C', NEW: 'x=y' })
  })

  it('forces its values over both', async () => {
    const names = Object.keys(forced)
    const set = names.map((name) => `env.set.${name} = "wrong"\n`).join('')
    const wrong = Object.fromEntries(names.map((name) => [name, 'wrong']))
    expect(await listed(wrong, `env.pass = ${JSON.stringify(names)}\n${set}`)).toMatchObject(forced)
  })
})

const ordinary = {
  NODE_ENV: 'test',
  CI: '1',
  PYTHONPATH: '/py',
  HTTPS_PROXY: 'http://proxy:8080',
  no_proxy: 'localhost',
  SSH_AUTH_SOCK: '/tmp/agent',
  NODE_OPTIONS: '--no-warnings',
  LD_LIBRARY_PATH: '/lib',
  GIT_AUTHOR_NAME: 'me',
  XAUTHORITY: '/x',
  TOKENIZERS_PARALLELISM: 'false',
  KEYBOARD: 'de',
  AWS_PROFILE: 'dev',
  GOOGLE_APPLICATION_CREDENTIALS_FILE: '/c.json',
}

const secrets = words(`
  AWS_SECRET_ACCESS_KEY AWS_ACCESS_KEY_ID AWS_SESSION_TOKEN GITHUB_TOKEN GH_TOKEN NPM_TOKEN NODE_AUTH_TOKEN
  OPENAI_API_KEY ANTHROPIC_API_KEY VITRINE_TOKEN DB_PASSWORD PGPASSWORD MYSQL_PWD DB_PASS SSH_PASSPHRASE
  GOOGLE_CREDENTIALS AZURE_CLIENT_SECRET AZURE_STORAGE_CONNECTION_STRING SENTRY_DSN SLACK_WEBHOOK_URL
  GITLAB_PAT SESSION_COOKIE SIGNING_KEY npm_config__auth MY_JWT
`)

describe('write mode', () => {
  it('inherits everything but what looks like a secret', async () => {
    const env = { ...ordinary, ...Object.fromEntries(secrets.map((name) => [name, 'secret'])) }
    const environment = await environmentOf({ mode: 'write', env })
    expect(environment).toMatchObject(ordinary)
    expect(secrets.filter((name) => name in environment)).toEqual([])
  })

  it('keeps the settings of git that the caller gives, and adds its own', async ({ skip }) => {
    if (!isInstalled('git')) return skip('not installed: git')
    const env = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'user.name', GIT_CONFIG_VALUE_0: 'from outside' }
    const shell = await openTestShell({ mode: 'write', env })
    const get = async (key: string) => (await shell.execute({ argv: ['git', 'config', '--get', key] })).stdout
    expect([await get('user.name'), await get('core.hooksPath')]).toEqual(['from outside\n', ''])
    expect(await get('safe.bareRepository')).toBe('explicit\n')
  })
})

it.each(modes)('inherit = "all" gives %s mode secrets, too', async (mode) => {
  const env = { NODE_ENV: 'test', GITHUB_TOKEN: 'secret' }
  expect(await environmentOf({ mode, env, toml: 'env.inherit = "all"\n' })).toMatchObject(env)
})

it.each(modes)(
  'the variables of one command in %s mode come over all others, and undefined removes one',
  async (mode) => {
    const show = 'for name in FOO LANG TZ PAGER; do printenv $name || echo unset; done'
    const toml = '[env.set]\nLANG = "C"\nFOO = "set"\n'
    const shell = await openTestShell({ mode, env: { TZ: 'UTC' }, toml })
    const env = { FOO: 'a b', LANG: 'de', TZ: undefined, PAGER: 'less' }
    expect((await shell.execute({ command: show, env })).stdout).toBe('a b\nde\nunset\nless\n')
    expect((await shell.execute({ command: show })).stdout).toBe('set\nC\nUTC\ncat\n')
  },
)

describe('the policy sees the variables of one command', () => {
  it.each([
    [{ LD_PRELOAD: './x.so' }, 'ask'],
    [{ PATH: '/elsewhere' }, 'ask'],
    [{ GIT_EXTERNAL_DIFF: './x' }, 'ask'],
    [{ FOO: 'x' }, 'allow'],
  ])('%j with a command that a rule allows: %s', async (env, verdict) => {
    const toml = '[policy]\nallow = ["git diff", "cat"]\n'
    const shell = await openTestShell({ mode: 'write', toml })
    expect(await shell.decide({ command: 'git diff', env })).toMatchObject({ verdict })
    expect(await shell.decide({ argv: ['cat', 'x'], env })).toMatchObject({ verdict })
  })

  it('an approval is for the command with its variables', async () => {
    const asked: string[] = []
    const approver = async ({ command }: { readonly command: string }) => {
      asked.push(command)
      return 'same' as const
    }
    const shell = await openTestShell({ mode: 'write', approver })
    const command = 'touch made'
    for (const value of ['1', '1', '2', undefined]) await shell.execute({ command, env: { A: value } })
    expect(asked).toEqual(['A=1 touch made', 'A=2 touch made', 'unset A; touch made'])
  })
})

describe('read mode forces more', () => {
  it('no lock files, no byte code', async () => {
    expect(await environmentOf({ mode: 'read' })).toMatchObject(forcedInRead)
    const names = Object.keys(forcedInRead)
    const env = Object.fromEntries(names.map((name) => [name, undefined]))
    const write = await openTestShell({ mode: 'write', env })
    const changing = await write.execute({ command: 'env; umask 022' })
    for (const name of names) expect(changing.stdout).not.toContain(`${name}=`)
  })

  it('but not on a held line of write mode: it has what it has unsandboxed, but for TMPDIR', async () => {
    const env = { TMPDIR: undefined, GIT_CONFIG_COUNT: undefined, SOME_VALUE: 'kept' }
    const held = await environmentOf({ mode: 'write', env, approver: async () => 'no' })
    const free = await environmentOf({ mode: 'write', env })
    const differs = Object.keys({ ...held, ...free }).filter((name) => held[name] !== free[name])
    // The last three are of each shell, and of each command.
    const others = differs.filter(
      (name) => !/^GIT_CONFIG_|^XDG_(CONFIG|STATE)_HOME$|^VITRINE_COMMAND$/.test(name),
    )
    expect(others.sort()).toEqual(['TEMP', 'TMP', 'TMPDIR', 'TMPPREFIX'])
    expect(settingsIn(held)).toEqual({ ...settingsIn(free), 'core.fsmonitor': 'false' })
  })

  it('git diff --quiet in a longer line of write mode sees that a touched file is the same', async ({
    skip,
  }) => {
    if (!isInstalled('git')) return skip('not installed: git')
    const cwd = makeDirectory()
    writeFileSync(join(cwd, 'file'), 'same')
    execFileSync('sh', ['-ec', 'git init -q; git add file'], { cwd })
    const shell = await openTestShell({ mode: 'write', cwd })
    const done = await shell.execute({ command: 'touch -d 2001-01-01 file; git diff --quiet' })
    expect(done).toMatchObject({ exitCode: 0 })
  })
})

it('a bare repository inside another directory is not taken for one', async ({ skip }) => {
  if (!isInstalled('git')) return skip('not installed: git')
  const cwd = makeDirectory()
  execFileSync('git', ['init', '--bare', 'inner'], { cwd, stdio: 'ignore' })
  const question = ['rev-parse', '--is-bare-repository']
  expect(execFileSync('git', question, { cwd: join(cwd, 'inner'), encoding: 'utf8' })).toBe('true\n')
  for (const mode of modes) {
    const shell = await openTestShell({ mode, cwd })
    const result = await shell.execute({ argv: ['git', ...question], cwd: 'inner' })
    expect(result).toMatchObject({ exitCode: 128, stdout: '' })
  }
})

const caller = {
  PATH: '/usr/bin',
  HOME: '/home/a',
  LANG: 'C',
  LC_ALL: 'C',
  OWN: 'x',
  GITHUB_TOKEN: 'secret',
  'BASH_FUNC_ls%%': '() { rm -rf ~; }',
  'not a name': 'x',
  '1st': 'x',
  EMPTY: '',
}

/** The names of the caller's variables that a command gets. */
function inherited(mode: Mode, place: HostPlace, settings: Partial<EnvironmentSettings> = {}) {
  const all = { inherit: 'auto', pass: [], set: {}, ...settings } as const
  const given = commandEnvironment(caller, all, { mode, place, terminal: true })
  return Object.entries(caller)
    .filter(([name, value]) => given[name] === value)
    .map(([name]) => name)
}

it.each(['read', 'workspace', 'write'] as const)(
  'in a container a command inherits nothing that names files of this machine, in %s mode',
  (mode) => {
    for (const inherit of ['auto', 'listed', 'all'] as const)
      expect(inherited(mode, 'container', { inherit })).toEqual(['LANG', 'LC_ALL'])
    expect(inherited(mode, 'container', { pass: ['OWN'] })).toEqual(['LANG', 'LC_ALL', 'OWN'])
  },
)

it('write mode inherits no functions of bash, and nothing that is no name', () => {
  const all = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'OWN', 'EMPTY']
  expect(inherited('write', 'linux')).toEqual(all)
})
