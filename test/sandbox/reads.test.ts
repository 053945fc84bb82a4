import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { secrets } from '../../src/sandbox/reads/places.ts'
import { unsearchedNote } from '../../src/sandbox/reads/unread.ts'
import type { Shell } from '../../src/shell.ts'
import { makeRepository } from '../helpers/git.ts'
import { nobody, whyNot } from '../helpers/other-users.ts'
import { makeDirectory, openTestShell, type TestShellOptions } from '../helpers/place.ts'
import { isInstalled, readable } from '../helpers/programs.ts'
import { words } from '../helpers/words.ts'
import { probing } from './hosts.ts'

const secret = 'a secret'

/** A home directory with a project in it. */
interface Home {
  readonly home: string
  readonly project: string
  /** Writes a file beneath the home directory, and returns its path. */
  write(path: string, text?: string): string
}

function makeHome(): Home {
  const home = makeDirectory()
  const project = join(home, 'project')
  makeRepository(project)
  const write = (path: string, text = secret) => {
    const file = join(home, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    return file
  }
  write('project/a.txt', 'plain')
  return { home, project, write }
}

function open({ home, project }: Home, toml: string, options: TestShellOptions = {}): Promise<Shell> {
  return openTestShell({
    cwd: project,
    toml: `[shell]\n${toml}\n`,
    ...options,
    env: { HOME: home, ...options.env },
  })
}

async function canRead(shell: Shell, path: string): Promise<boolean> {
  const { exitCode, output } = await shell.execute({ argv: ['cat', '--', path] })
  if (exitCode !== 0) expect(output).toMatch(/Permission denied/)
  return exitCode === 0
}

describe.runIf(process.platform === 'linux')('unreadable = "secrets"', () => {
  const kept = words(`
    .ssh/id_ed25519 .gnupg/private-keys-v1.d/key .aws/credentials .azure/msal_token_cache.json .kube/config
    .docker/config.json .netrc .npmrc .pypirc .git-credentials .bash_history
    .mozilla/firefox/x.default/logins.json .config/gcloud/credentials.db .config/gh/hosts.yml
    .config/google-chrome/Default/Cookies .local/share/keyrings/login.keyring .password-store/site.gpg
    .terraform.d/credentials.tfrc.json .local/share/opencode/auth.json .config/goose/secrets.yaml
    .cursor/mcp.json .continue/config.yaml .aider.conf.yml .aider/oauth-keys.env
    .config/io.datasette.llm/keys.json .pulumi/credentials.json .config/argocd/config .argocd/config
    .config/ngrok/ngrok.yml .ngrok2/ngrok.yml .sentryclirc .circleci/cli.yml .config/circleci/config.yml
    .vscode-shared/sharedStorage/state.vscdb .cloudflare-warp/cert.pem .alibabacloud/credentials
    .config/scw/config.yaml .aliyun/config.json .bluemix/config.json .tsh/keys/proxy.example.org/user
    .cloudflared/cert.pem .minikube/profiles/minikube/client.key .clasprc.json
    .local/state/syncthing/key.pem .config/weechat/sec.conf .weechat/sec.conf .config/wireguard/wg0.conf
    .config/Code/User/globalStorage/state.vscdb project/.npmrc project/.dev.vars project/.sentryclirc
    project/packages/a/.dev.vars.staging project/.env project/.env.local project/packages/a/.env.production
    project/.envrc
  `)
  let place: Home
  let shell: Shell
  beforeAll(async () => {
    place = makeHome()
    for (const path of kept) place.write(path)
    shell = await open(place, 'unreadable = "secrets"')
  })

  it.each(kept)('%s cannot be read, but is listed', async (path) => {
    const file = join(place.home, path)
    expect(await canRead(shell, file)).toBe(false)
    const { output } = await shell.execute({ argv: ['ls', '-a', dirname(file)] })
    expect(output.split('\n')).toContain(path.split('/').at(-1))
  })

  it('nothing of the list can be read', async () => {
    const place = makeHome()
    const { home, config, data, state, cache } = secrets
    const paths = [
      ...home,
      ...config.map((path) => `.config/${path}`),
      ...data.map((path) => `.local/share/${path}`),
      ...state.map((path) => `.local/state/${path}`),
      ...cache.map((path) => `.cache/${path}`),
    ]
    const files = paths.map((path) => place.write(path))
    const shell = await open(place, 'unreadable = "secrets"')
    const { stdout } = await shell.execute({ argv: ['head', '-c', '1', '--', ...files] })
    expect({ stdout, listed: paths.length > 100 }).toEqual({ stdout: '', listed: true })
  })

  it('everything else is readable as before', async () => {
    const place = makeHome()
    place.write('.ssh/id')
    place.write('project/packages/.env')
    const shell = await open(place, 'unreadable = "secrets"')
    const files = words(`
      .gitconfig .docker/other .config/gh/config.yml .config/app/settings notes.txt project/.env.example
      project/.dev.vars.example project/packages/.env.local.sample project/packages/b/index.ts`)
    for (const path of files) expect([path, await canRead(shell, place.write(path))]).toEqual([path, true])
    const { output } = await shell.execute({
      command: 'cat a.txt; head -c1 /etc/passwd >/dev/null && ls / >/dev/null && echo ok',
    })
    expect(output).toBe('plainok\n')
  })

  it('follows the variables of XDG and of single tools', async () => {
    const place = makeHome()
    const paths = words('elsewhere/gh/hosts.yml data/keyrings/login clusters/one clusters/two pgp/key')
    const kept = paths.map((path) => place.write(path))
    const shell = await open(place, 'unreadable = "secrets"', {
      env: {
        HOME: place.home,
        XDG_CONFIG_HOME: join(place.home, 'elsewhere'),
        XDG_DATA_HOME: join(place.home, 'data'),
        KUBECONFIG: `${join(place.home, 'clusters/one')}:${join(place.home, 'clusters/two')}`,
        GNUPGHOME: join(place.home, 'pgp'),
      },
    })
    for (const path of kept) expect([path, await canRead(shell, path)]).toEqual([path, false])
  })

  it('30,000 files beside one .env can be read, and that cannot', async () => {
    const place = makeHome()
    place.write('project/.env')
    execFileSync('sh', ['-c', 'seq -f file-%g 30000 | xargs touch'], { cwd: place.project })
    const shell = await open(place, 'unreadable = "secrets"\ntimeout_ms = 60000')
    const run = () => shell.execute({ command: 'cat file-* && echo all; cat .env' })
    let result = await run()
    // The search for names ends after 200 ms: on a busy machine the command runs again.
    while (result.enforcement['unreadable']?.note === unsearchedNote) result = await run()
    expect(result).toMatchObject({ stdout: 'all\n', exitCode: 1 })
  })

  it('a workspace too large to be searched whole is said to be so', async () => {
    const place = makeHome()
    for (let at = 0; at < 2100; at++) mkdirSync(join(place.project, `d${at}`))
    const shell = await open(place, 'unreadable = "secrets"')
    const { enforcement } = await shell.execute({ command: ':' })
    expect(enforcement['unreadable']?.note).toBe(unsearchedNote)
  })

  it.each([1, 2, 3])('holds on Landlock ABI %i', async (abi) => {
    const place = makeHome()
    const file = place.write('.ssh/id')
    const shell = await open(place, 'unreadable = "secrets"', { host: probing({ landlockAbi: abi }) })
    expect(await canRead(shell, file)).toBe(false)
    expect(await canRead(shell, join(place.project, 'a.txt'))).toBe(true)
  })
})

describe.runIf(process.platform === 'linux')('from one command to the next', () => {
  /** What happens in the home directory, and whether the path can then be read. */
  it.each([
    ['a new file beside a kept one', 'echo x > new.txt', 'new.txt', true],
    ['a new file in the workspace', 'echo x > project/new.txt', 'project/new.txt', true],
    ['a new secret', 'echo x > .netrc', '.netrc', false],
    ['a new .env', 'echo x > project/.env', 'project/.env', false],
    ['a new .env far down', 'echo x > project/src/deep/.env', 'project/src/deep/.env', false],
    ['a file that is renamed to a secret', 'echo x > plain; mv plain .netrc', '.netrc', false],
    ['another target of a link', 'mkdir second; echo x > second/id; ln -sfn second .ssh', 'second/id', false],
    ['what a link does not lead to any more', 'rm .ssh', 'first/id', true],
  ] as const)('%s', async (_, change, path, readable) => {
    const place = makeHome()
    place.write('first/id')
    place.write('project/src/deep/file')
    symlinkSync('first', join(place.home, '.ssh'))
    const shell = await open(place, 'unreadable = "secrets"')
    for (let times = 0; times < 2; times++)
      expect(await canRead(shell, join(place.home, 'first/id'))).toBe(false)
    execFileSync('sh', ['-ec', change], { cwd: place.home })
    expect(await canRead(shell, join(place.home, path))).toBe(readable)
  })
})

describe.runIf(process.platform === 'linux')('unreadable = [paths]', () => {
  it('a file, and a directory with all beneath it', async () => {
    const place = makeHome()
    const files = ['one/file', 'one/other', 'two/deep/file'].map((path) => place.write(path))
    const shell = await open(place, `unreadable = ["${files[0]}", "${join(place.home, 'two')}"]`)
    expect(await Promise.all(files.map((path) => canRead(shell, path)))).toEqual([false, true, false])
  })

  it.each([
    ['cat .env', '.env'],
    ["node -e 'require(`fs`).readFileSync(`sub/.env.local`)'", 'sub/.env.local'],
    ['grep x .env.example .npmrc', '.npmrc'],
    ['(cd sub && cat ../.env)', undefined],
    ['echo "notes.env: Permission denied" >&2; exit 1', undefined],
  ])('names in the hint what could not be read: %s', async (command, name) => {
    const place = makeHome()
    const cwd = makeDirectory()
    for (const file of ['.env', 'sub/.env.local', '.env.example', '.npmrc']) {
      mkdirSync(dirname(join(cwd, file)), { recursive: true })
      writeFileSync(join(cwd, file), 'x')
    }
    const shell = await open(place, 'unreadable = ["secrets"]', { cwd })
    const { hint } = await shell.execute({ command })
    expect(hint).toContain(name === undefined ? 'may not read everything' : `may not read ${join(cwd, name)}`)
  })

  it.each(['/', '/usr'])('%s would keep the shell from starting', async (path) => {
    await expect(open(makeHome(), `unreadable = ["${path}"]`)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      refusal: { key: 'shell.unreadable', problem: { kind: 'bad-value' } },
    })
  })
})

describe.runIf(process.platform === 'linux')('reads = "workspace"', () => {
  const lines: readonly (readonly [string, string])[] = [
    ['git', 'git --version && git config --list >/dev/null'],
    ['python3', 'python3 -c "import json, ssl, sqlite3; print(1)"'],
    ['node', "node -e \"require('node:fs').readFileSync('a.txt')\""],
    ['rg', 'rg -q plain .'],
    ['gcc', 'gcc --version'],
    ['npm', 'npm ls'],
    ['perl', 'perl -e "use POSIX; print 1"'],
    ['ps', 'ps aux'],
    ['find', 'find . -name a.txt'],
    ['man', 'man -w ls'],
    ['tar', 'tar cf - . | wc -c'],
    ['bash', 'bash -c "cat < a.txt"'],
    ['getent', 'getent passwd root'],
    ['locale', 'locale -a'],
    ['df', 'df /'],
  ]

  it.each(lines)('%s works', async (program, line) => {
    if (!isInstalled(program)) return
    const place = makeHome()
    rmSync(join(place.project, '.git'), { recursive: true })
    place.write('project/package.json', '{"name":"x","version":"1.0.0"}')
    const shell = await open(place, 'reads = "workspace"\nunreadable = "secrets"')
    const result = await shell.execute({ command: line })
    expect(result).toMatchObject({ exitCode: 0 })
  })

  it('keeps what lies outside of the workspace, its names too, and shows the workspace', async () => {
    const place = makeHome()
    const outside = place.write('other/file')
    const shell = await open(place, 'reads = "workspace"', { cwd: join(place.project, '.git') })
    expect(await canRead(shell, outside)).toBe(false)
    expect(await canRead(shell, join(place.project, 'a.txt'))).toBe(true)
    expect((await shell.execute({ argv: ['ls', dirname(outside)] })).exitCode).not.toBe(0)
    expect((await shell.execute({ argv: ['ls', place.project] })).output).toBe('a.txt\n')
    expect((await shell.execute({ argv: ['stat', '-c', '%s', outside] })).output).toBe(`${secret.length}\n`)
  })

  it('secrets inside the workspace and in toolchain homes stay kept', async () => {
    const place = makeHome()
    const [variables, token] = [place.write('project/.env'), place.write('.cargo/credentials.toml')]
    const registry = place.write('.cargo/registry/index')
    const shell = await open(place, 'reads = "workspace"\nunreadable = "secrets"')
    expect(await canRead(shell, variables)).toBe(false)
    expect(await canRead(shell, token)).toBe(false)
    expect(await canRead(shell, registry)).toBe(true)
  })

  it('a directory of PATH that holds the home directory grants nothing of it', async () => {
    const place = makeHome()
    const env = { HOME: place.home, PATH: `${place.home}:${dirname(place.home)}:${process.env['PATH']}` }
    const shell = await open(place, 'reads = "workspace"', { env })
    expect(await canRead(shell, place.write('file'))).toBe(false)
  })

  /** Of each: the entry of PATH, and what has made it, in the project. The secret is `$f` in `$d`. */
  it.each([
    ['node_modules/.bin', 'mkdir -p node_modules/.bin; ln -s $f node_modules/.bin/x'],
    ['node_modules/.bin', 'mkdir node_modules; ln -s $d node_modules/.bin'],
    ['../node_modules/.bin', 'mkdir -p ../node_modules/.bin; ln -s $f ../node_modules/.bin/x'],
    ['.venv/bin', 'mkdir .venv; ln -s $d .venv/bin'],
    ['../alias/tools', 'ln -s $PWD ../alias; ln -s $d tools'],
    ['../outside', 'mkdir tools; ln -s $f tools/x; ln -s $PWD/tools ../outside'],
  ])('%s on PATH opens nothing outside of the workspace: %s', async (entry, script) => {
    const place = makeHome()
    const secret = place.write('private/bin/f')
    execFileSync('sh', ['-ec', script], {
      cwd: place.project,
      env: { ...process.env, f: secret, d: dirname(secret) },
    })
    const env = { HOME: place.home, PATH: `${join(place.project, entry)}:${process.env['PATH']}` }
    const shell = await open(place, 'reads = "workspace"', { env })
    expect(await canRead(shell, secret)).toBe(false)
    expect(await canRead(shell, join(place.project, 'a.txt'))).toBe(true)
  })

  it.each(['VIRTUAL_ENV', 'GOPATH'])('%s in the project opens nothing outside of it', async (name) => {
    const place = makeHome()
    const secret = place.write('private/f')
    symlinkSync(dirname(secret), join(place.project, '.venv'))
    const env = { HOME: place.home, [name]: join(place.project, '.venv') }
    const shell = await open(place, 'reads = "workspace"', { env })
    expect(await canRead(shell, secret)).toBe(false)
  })

  it.runIf(isInstalled('git'))('a linked worktree finds its repository', async () => {
    const place = makeHome()
    const [main, linked] = [join(place.home, 'main'), join(place.home, 'linked')]
    const git = (...words: string[]) =>
      execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@localhost', ...words], {
        stdio: 'ignore',
      })
    git('init', '-q', main)
    git('-C', main, 'commit', '-q', '--allow-empty', '-m', 'first')
    git('-C', main, 'worktree', 'add', '-q', linked)
    const shell = await open(place, 'reads = "workspace"', { cwd: linked })
    expect((await shell.execute({ command: 'git log --format=%s' })).output).toBe('first\n')
  })

  it.each([
    ['a directory that knows nothing of it', { '.git': 'gitdir: ../private' }],
    [
      'a worktree of the directory above, in it',
      { '.git': 'gitdir: ./x', 'x/gitdir': '../.git', 'x/commondir': '../..' },
    ],
    [
      'such a worktree, beside it',
      { '.git': 'gitdir: ../x', '../x/gitdir': '../hostile/.git', '../x/commondir': '..' },
    ],
  ])('a .git file that names %s opens nothing outside of the workspace', async (_, files) => {
    const place = makeHome()
    const kept = place.write('private/file')
    const plain = place.write('hostile/file')
    for (const [path, text] of Object.entries(files)) place.write(join('hostile', path), `${text}\n`)
    const shell = await open(place, 'reads = "workspace"', { cwd: join(place.home, 'hostile') })
    expect([await canRead(shell, plain), await canRead(shell, kept)]).toEqual([true, false])
  })
})

describe.runIf(process.platform === 'linux')('with a private TMPDIR or a terminal', () => {
  const both = 'reads = "workspace"\nunreadable = "secrets"'
  const settings = [['unreadable = "secrets"'], ['reads = "workspace"'], [both]] as const
  const command =
    'cd "$TMPDIR" && mkdir one two && echo made > one/x && mv one/x two/y && ln two/y z && cat z && mktemp > /dev/null && ls | wc -l'

  it.each(settings)('%s: the directory can be written and read', async (toml) => {
    const shell = await open(makeHome(), `${toml}\nprivate_tmp = true`)
    const { output } = await shell.execute({ command })
    expect(output).toBe('made\n4\n')
  })

  it('a terminal can be read from, and what is kept cannot', async () => {
    const place = makeHome()
    const file = place.write('.ssh/id')
    const shell = await open(place, both)
    const running = await shell.start({
      argv: ['sh', '-c', `read -r line; echo "got $line"; cat ${file}`],
      pty: true,
    })
    running.write('words\n')
    const { output } = await running.result
    expect(output).toMatch(/got words/)
    expect(output).toMatch(/Permission denied/)
  })
})

/** Root's rights hide what is wrong with the rules for others. */
describe.runIf(process.getuid?.() === 0)('as an ordinary user', () => {
  const asNobody = { ...nobody, encoding: 'utf8' } as const
  const program = join(readable, 'dist/cli.cjs')

  it('programs start, the workspace can be read, and what is kept cannot', (context) => {
    const reason = whyNot(nobody)
    if (reason) return context.skip(reason)
    const place = makeHome()
    place.write('project/.env')
    place.write('project/tools/bin/thing', '#!/bin/sh\necho thing\n')
    const outside = place.write('outside')
    execFileSync('chmod', ['-R', 'a+rX', place.home])
    execFileSync('chmod', ['755', join(place.project, 'tools/bin/thing')])
    const lines = [
      'cat a.txt',
      'cat .env',
      `cat ${outside}`,
      'git --version',
      'node -e "console.log(1)"',
      'tools/bin/thing',
    ]
    const env = {
      PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
      HOME: place.home,
      VITRINE_SHELL_READS: 'workspace',
      VITRINE_SHELL_UNREADABLE: 'secrets',
    }
    const run = (line: string) =>
      spawnSync(process.execPath, [program, 'run', '--', line], { ...asNobody, env, cwd: place.project })
        .status
    expect(lines.map(run)).toEqual([0, 1, 1, 0, 0, 0])
  })
})
