import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hintBehind } from '../../../src/base/hint.ts'
import type { Result } from '../../../src/base/types.ts'
import { openingOf } from '../../../src/host/workspace.ts'
import { obeyedAtHome } from '../../../src/sandbox/workspace/obeyed.ts'
import type { Shell } from '../../../src/shell.ts'
import { makeDirectory, openTestShell } from '../../helpers/place.ts'
import { words } from '../../helpers/words.ts'

const refused = { code: 'SANDBOX_UNAVAILABLE' }

interface Place {
  readonly home: string
  readonly workspace: string
}

function makePlace(): Place {
  const parent = makeDirectory()
  const [home, workspace] = [join(parent, 'home'), join(parent, 'work')]
  for (const path of [home, workspace]) mkdirSync(path)
  execFileSync('git', ['init', '-q', workspace])
  return { home, workspace }
}

function open({ home, workspace }: Place, writable: readonly string[] = [], env = {}): Promise<Shell> {
  return openTestShell({
    cwd: workspace,
    mode: 'workspace',
    env: { HOME: home, XDG_CONFIG_HOME: '', XDG_DATA_HOME: '', CARGO_HOME: '', GNUPGHOME: '', ...env },
    toml: `[workspace]\nwritable = ${JSON.stringify(writable)}\n`,
  })
}

function advised(result: Result): string | undefined {
  const remedy = hintBehind(result)?.remedy
  return remedy?.kind === 'writable' ? /add (\S+) to/.exec(remedy.text)?.[1] : undefined
}

const names = obeyedAtHome.flatMap(([, each]) => each)

describe('what programs outside obey', () => {
  it('is never advised for [workspace] writable: each place at home, and what is in it', () => {
    const { home } = makePlace()
    const all = names.flatMap((name) => [name, `${name}/x`, `${name}/deep/x`]).map((name) => join(home, name))
    expect(all.filter((path) => openingOf(path, { HOME: home }).kind !== 'obeyed')).toEqual([])
    const free = ['.cache/pip', '.npm', '.sshx', 'src/project'].map((name) => join(home, name))
    expect(free.filter((path) => openingOf(path, { HOME: home }).kind !== 'open')).toEqual([])
  })

  it.each(['.ssh/config', '.config/systemd/user/x.service'])(
    'is refused to a command, whose hint advises write mode alone: ~/%s',
    async (name) => {
      const place = makePlace()
      mkdirSync(dirname(join(place.home, name)), { recursive: true })
      const result = await (await open(place)).execute({ command: `echo x > ~/${name}` })
      expect(existsSync(join(place.home, name))).toBe(false)
      expect(hintBehind(result)?.remedy.kind).toBe('obeyed')
      expect(result.hint).toContain('so no setting opens it')
      expect(result.hint).not.toContain('writable')
    },
  )

  it('is not advised by a directory that holds such places, but a cache beside them is', async () => {
    const place = makePlace()
    for (const name of ['.config', '.cache/tool']) mkdirSync(join(place.home, name), { recursive: true })
    const shell = await open(place)
    expect(advised(await shell.execute({ command: 'echo x > ~/.config/toolrc' }))).toBeUndefined()
    const cache = join(place.home, '.cache/tool')
    expect(advised(await shell.execute({ command: `echo x > ${cache}/x` }))).toBe(cache)
  })

  it.each(words('.ssh .gnupg .local/bin bin .cargo/bin .docker .config/autostart .config/nvim/lua'))(
    'is refused as an entry of [workspace] writable, with the reason: ~/%s',
    async (name) => {
      const place = makePlace()
      mkdirSync(join(place.home, name), { recursive: true })
      await expect(open(place, [join(place.home, name)])).rejects.toMatchObject({
        code: 'SANDBOX_UNAVAILABLE',
        message: expect.stringMatching(/where programs outside the sandbox obey what they find.*write mode/s),
      })
    },
  )

  it('is refused as a workspace', async () => {
    const place = makePlace()
    mkdirSync(join(place.home, '.config/systemd/user'), { recursive: true })
    await expect(
      open({ ...place, workspace: join(place.home, '.config/systemd/user') }),
    ).rejects.toMatchObject(refused)
  })

  it('is protected in an entry that holds it, where it is absent, too', async () => {
    const place = makePlace()
    for (const name of ['.config/git', '.config/tool']) mkdirSync(join(place.home, name), { recursive: true })
    const shell = await open(place, [join(place.home, '.config')])
    const tries = ['echo x > git/config', 'mkdir fish', 'mkdir made; mv made systemd', 'mkdir -p nvim/lua']
    for (const line of tries) {
      const { exitCode, denials } = await shell.execute({ command: `cd ~/.config && ${line}` })
      expect([exitCode === 0, denials[0]?.protected], line).toEqual([false, true])
    }
    expect(await shell.execute({ command: 'echo x > ~/.config/tool/x' })).toMatchObject({ exitCode: 0 })
  })

  it('is protected in the workspace where a link at home leads there', async () => {
    const place = makePlace()
    mkdirSync(join(place.workspace, 'nvim'))
    writeFileSync(join(place.workspace, 'vimrc'), 'as it was\n')
    mkdirSync(join(place.home, '.config'))
    symlinkSync(join(place.workspace, 'vimrc'), join(place.home, '.vimrc'))
    symlinkSync('../../work/nvim', join(place.home, '.config/nvim'))
    const shell = await open(place)
    for (const line of ['echo x > vimrc', 'rm vimrc', 'echo x > nvim/init.lua', 'mv nvim moved'])
      expect((await shell.execute({ command: line })).exitCode, line).not.toBe(0)
    expect(readFileSync(join(place.workspace, 'vimrc'), 'utf8')).toBe('as it was\n')
    expect(await shell.execute({ command: 'echo x > vimrc2' })).toMatchObject({ exitCode: 0 })
  })

  it('is a directory of PATH: refused as an entry, protected in one, never advised', async () => {
    const place = makePlace()
    const tools = join(place.home, 'tools')
    mkdirSync(join(tools, 'path'), { recursive: true })
    mkdirSync(join(tools, 'store'))
    const env = { PATH: `${join(tools, 'path')}:${process.env['PATH']}` }
    await expect(open(place, [join(tools, 'path')], env)).rejects.toMatchObject(refused)
    const above = await open(place, [tools], env)
    expect((await above.execute({ command: `echo x > ${tools}/path/ls` })).exitCode).not.toBe(0)
    expect(await above.execute({ command: `echo x > ${tools}/store/x` })).toMatchObject({ exitCode: 0 })
    expect(
      advised(await (await open(place, [], env)).execute({ command: `echo x > ${tools}/path/ls` })),
    ).toBeUndefined()
  })

  it('is a home directory of passwd(5) as well, which ssh asks, and where CARGO_HOME moves it', async () => {
    const place = makePlace()
    await expect(open(place, [userInfo().homedir])).rejects.toMatchObject(refused)
    const moved = join(place.home, 'moved')
    mkdirSync(join(moved, 'bin'), { recursive: true })
    await expect(open(place, [join(moved, 'bin')], { CARGO_HOME: moved })).rejects.toMatchObject(refused)
  })

  it('is not a work tree that an agent keeps beside its settings', async () => {
    const place = makePlace()
    const workspace = join(place.home, '.codex/worktrees/1/project')
    mkdirSync(workspace, { recursive: true })
    execFileSync('git', ['init', '-q', workspace])
    const shell = await open({ ...place, workspace })
    expect(await shell.execute({ command: 'echo x > file' })).toMatchObject({ exitCode: 0 })
  })
})

const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.com'] as const

function git(cwd: string, ...args: readonly string[]): void {
  execFileSync('git', [...identity, ...args], { cwd, stdio: 'ignore' })
}

/** Commands may change nothing that git obeys in a git directory. */
async function expectHeld(shell: Shell, directory: string): Promise<void> {
  const tries = ['hooks/pre-commit', 'config', 'info/attributes', 'commondir']
  for (const name of tries) {
    const before = existsSync(join(directory, name)) && readFileSync(join(directory, name), 'utf8')
    const { exitCode } = await shell.execute({ command: `echo x >> ${join(directory, name)}` })
    expect(exitCode, name).not.toBe(0)
    expect(existsSync(join(directory, name)) && readFileSync(join(directory, name), 'utf8')).toBe(before)
  }
}

/** A repository whose git directory lies elsewhere. */
const layouts = {
  'a link': ({ workspace, home }: Place) => {
    execFileSync('mv', [join(workspace, '.git'), join(home, 'meta')])
    symlinkSync('../home/meta', join(workspace, '.git'))
  },
  'git init --separate-git-dir': ({ workspace, home }: Place) => {
    git(workspace, 'init', '-q', '--separate-git-dir', join(home, 'meta'))
  },
}

describe('a git directory outside of the workspace', () => {
  it.each(Object.entries(layouts))(
    'of %s is opened by core.worktree, with what git obeys protected',
    async (_, make) => {
      const place = makePlace()
      make(place)
      writeFileSync(join(place.workspace, 'f'), 'x')
      const before = await (await open(place)).execute({ command: 'git add f' })
      expect(hintBehind(before)?.remedy).toMatchObject({
        kind: 'repository',
        text: expect.stringContaining(`git -C '${place.workspace}'`),
      })
      const [, advice = ''] = /run (git -C .*) outside/.exec(before.hint ?? '') ?? []
      execFileSync('sh', ['-ec', advice])
      const shell = await open(place)
      expect(await shell.execute({ command: 'git add f && git status' })).toMatchObject({ exitCode: 0 })
      await expectHeld(shell, join(place.home, 'meta'))
    },
  )

  it('of another repository is not advised, and its hooks are refused as an entry', async () => {
    const place = makePlace()
    const other = join(place.home, 'other')
    execFileSync('git', ['init', '-q', other])
    const shell = await open(place)
    const result = await shell.execute({
      command: `git -C ${other} -c user.name=A -c user.email=a commit --allow-empty -m x`,
    })
    expect(hintBehind(result)?.remedy).toMatchObject({
      kind: 'repository',
      text: expect.stringContaining('start vitrine'),
    })
    await expect(open(place, [join(other, '.git/hooks')])).rejects.toMatchObject(refused)
  })

  it('that is bare can be pushed to where it is listed, and its hooks stay', async () => {
    const place = makePlace()
    const bare = join(place.home, 'r.git')
    execFileSync('git', ['init', '-q', '--bare', bare])
    git(place.workspace, 'commit', '-q', '--allow-empty', '-m', '1')
    const shell = await open(place, [bare])
    expect(await shell.execute({ command: `git push -q ${bare} HEAD:refs/heads/x` })).toMatchObject({
      exitCode: 0,
    })
    await expectHeld(shell, bare)
    await expect(open({ ...place, workspace: realpathSync(join(bare, 'hooks')) })).rejects.toMatchObject(
      refused,
    )
  })

  it('of a listed project is protected like a workspace’s, with the names there', async () => {
    const place = makePlace()
    const other = join(place.home, 'other')
    execFileSync('git', ['init', '-q', other])
    const shell = await open(place, [other])
    await expectHeld(shell, join(other, '.git'))
    expect((await shell.execute({ command: `echo x > ${other}/.envrc` })).exitCode).not.toBe(0)
    expect(await shell.execute({ command: `echo x > ${other}/file` })).toMatchObject({ exitCode: 0 })
  })
})
