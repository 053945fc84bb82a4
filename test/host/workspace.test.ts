import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeDirectory, openTestShell } from '../helpers/place.ts'

interface Row {
  readonly given: string
  readonly workspace: 'top' | 'mid' | 'cwd'
  readonly env?: Readonly<Record<string, string>>
}

const other = 65_534
const foreign = `git init -q; chown -R ${other} .git`

/** Each script runs in `top`; the shell starts in `top/mid/here`. */
const rows: readonly Row[] = [
  { given: 'git init -q', workspace: 'top' },
  { given: 'git init -q; git init -q mid', workspace: 'mid' },
  { given: 'mkdir .git', workspace: 'cwd' },
  { given: 'mkdir mid/.git; git init -q', workspace: 'top' },
  { given: 'git init -q; rm .git/HEAD', workspace: 'cwd' },
  { given: 'git init -q; rm -r .git/refs', workspace: 'cwd' },
  { given: 'git init -q; rm -r .git/objects', workspace: 'cwd' },
  { given: 'git init -q; echo x > .git/HEAD', workspace: 'cwd' },
  { given: 'git init -q; echo "ref:  refs/heads/a" > .git/HEAD', workspace: 'top' },
  { given: 'git init -q; rm .git/HEAD; ln -s refs/heads/a .git/HEAD', workspace: 'top' },
  { given: 'git init -q; seq 40 | tr -d "\\n" | tr 0-9 a | cut -c1-40 > .git/HEAD', workspace: 'top' },
  { given: 'git init -q; echo a > .git/HEAD', workspace: 'cwd' },
  { given: 'echo "gitdir: nowhere" > .git', workspace: 'cwd' },
  { given: 'echo x > .git', workspace: 'cwd' },
  { given: 'git init -q; echo "gitdir: ../.git/" > mid/.git', workspace: 'mid' },
  { given: 'git init -q --separate-git-dir ../store', workspace: 'top' },
  { given: 'git init -q store; mv store/.git .store; ln -s .store .git', workspace: 'top' },
  {
    given: `git init -q ../main; git -C ../main -c user.name=a -c user.email=a commit -q --allow-empty -m x
rm -r mid; git -C ../main worktree add -q ../top/mid; mkdir mid/here`,
    workspace: 'mid',
  },
  { given: foreign, workspace: 'cwd' },
  { given: `git init -q mid; chown -R ${other} mid/.git; git init -q`, workspace: 'cwd' },
  { given: `git init -q; chown ${other} .git`, workspace: 'cwd' },
  { given: `git init -q --separate-git-dir ../store; chown ${other} .git`, workspace: 'cwd' },
  { given: foreign, workspace: 'top', env: { SUDO_UID: `${other}` } },
  { given: foreign, workspace: 'cwd', env: { SUDO_UID: `${other}x` } },
  { given: `${foreign}; git config --global safe.directory "$PWD"`, workspace: 'top' },
  { given: `${foreign}; git config --global safe.directory '*'`, workspace: 'top' },
  { given: `${foreign}; git config --global safe.directory "$PWD/mid"`, workspace: 'cwd' },
  { given: `${foreign}; git config --global safe.directory top`, workspace: 'cwd' },
  {
    given: `${foreign}; git config --global safe.directory '*'; git config --global --add safe.directory ''`,
    workspace: 'cwd',
  },
  {
    given: `${foreign}; git config --global include.path more; printf '[safe]\\ndirectory = *' > "$HOME/more"`,
    workspace: 'top',
  },
  { given: `git init -q; git config safe.directory '*'; chown -R ${other} .git`, workspace: 'cwd' },
  {
    given: foreign,
    workspace: 'top',
    env: { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: '*' },
  },
  { given: 'git init -q', workspace: 'cwd', env: { GIT_CEILING_DIRECTORIES: '$top' } },
]

function makePlace(given: string) {
  const parent = makeDirectory()
  const [top, home] = [join(parent, 'top'), join(parent, 'home')]
  const places = { top, mid: join(top, 'mid'), cwd: join(top, 'mid/here') }
  mkdirSync(places.cwd, { recursive: true })
  mkdirSync(home)
  const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: join(home, '.config'), GIT_CONFIG_NOSYSTEM: '1' }
  execFileSync('sh', ['-ec', given], { cwd: top, env, stdio: 'pipe' })
  return { places, env }
}

const isRoot = process.platform === 'linux' && process.getuid?.() === 0

describe.runIf(isRoot)('the workspace of a shell in a subdirectory', () => {
  it.each(rows)(
    'is $workspace, as git says, after $given $env',
    async ({ given, workspace, env: more = {} }) => {
      const { places, env: usual } = makePlace(given)
      const { top, mid, cwd } = places
      const set = Object.fromEntries(
        Object.entries(more).map(([name, value]) => [name, value.replace('$top', top)]),
      )
      const env = { ...usual, ...set }
      const git = spawnSync('git', ['rev-parse', '--show-toplevel'], { cwd, env, encoding: 'utf8' })
      expect(git.status === 0 ? git.stdout.trim() : cwd).toBe(places[workspace])
      const shell = await openTestShell({ cwd, mode: 'workspace', env })
      const result = await shell.execute({ command: 'for d in . .. ../..; do echo x > $d/made; done' })
      expect(result.workspace).toBe(places[workspace])
      const made = [cwd, mid, top].map((at) => existsSync(join(at, 'made')))
      expect(made).toEqual([true, workspace !== 'cwd', workspace === 'top'])
    },
  )

  it("is the shell's directory where a command has broken the repository", async () => {
    const { places, env } = makePlace('git init -q; git init -q mid')
    const { mid, cwd } = places
    const toml = '[workspace]\nprotected = ["default", "here/kept"]'
    const first = await openTestShell({ cwd: mid, mode: 'workspace', env, toml })
    await first.execute({ command: 'rm -rf .git/HEAD .git/refs; echo x > here/kept' })
    const shell = await openTestShell({ cwd, mode: 'workspace', env, toml })
    const result = await shell.execute({
      command: 'echo x > kept; for d in . .. ../..; do echo x > $d/made; done',
    })
    expect(result.workspace).toBe(cwd)
    const made = [cwd, mid, places.top].map((at) => existsSync(join(at, 'made')))
    expect([existsSync(join(mid, '.git/HEAD')), ...made, existsSync(join(cwd, 'kept'))]).toEqual([
      ...[false, true, false, false, false],
    ])
  })

  it.for([
    ['reads = "workspace"', 'secret'],
    ['unreadable = ["secrets"]', '.env'],
  ] as const)('leaves what lies above it unread with %s, and is in no result of read mode', async (row) => {
    const [setting, name] = row
    const { places } = makePlace('mkdir .git')
    writeFileSync(join(places.top, name), 'x')
    const shell = await openTestShell({ cwd: places.cwd, mode: 'read', toml: `[shell]\n${setting}` })
    const result = await shell.execute({ command: `cat ../../${name}` })
    expect(result).toMatchObject({ exitCode: 1 })
    expect(result).not.toHaveProperty('workspace')
  })
})
