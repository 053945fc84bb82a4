import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { type Addon, loadAddon } from '../../../src/launch/addon.ts'
import { rememberedChanges } from '../../../src/sandbox/workspace/changes.ts'
import { makeDirectory } from '../../helpers/place.ts'

const isLinux = process.platform === 'linux'

/** A repository with a submodule's place and a directory, and a home beside it whose git configuration is a link. */
function makeProject() {
  const parent = join(makeDirectory(), 'place')
  const [workspace, home] = [join(parent, 'project'), join(parent, 'home')]
  for (const path of [workspace, home, join(workspace, 'sub'), join(workspace, '.git/worktrees/one')])
    mkdirSync(path, { recursive: true })
  writeFileSync(join(home, 'first'), '[filter "x"]\n\tclean = tool --flag')
  writeFileSync(join(home, 'second'), '[core]\n\thooksPath = sub/hooks')
  symlinkSync('first', join(home, '.gitconfig'))
  const env = { ...process.env, HOME: home, GIT_CONFIG_NOSYSTEM: '1' }
  execFileSync('git', ['init', '-q'], { cwd: workspace, env })
  return { parent, workspace, home }
}

type Project = ReturnType<typeof makeProject>

function changesOf({ workspace, home, parent }: Project) {
  const addon = loadAddon<Addon>()
  if ('missing' in addon) throw new Error(addon.missing)
  return rememberedChanges(
    {
      workspace,
      writable: [join(parent, 'cache')],
      protected: ['default'],
      gitConfigs: [join(home, '.gitconfig')],
      own: { home, others: [] },
    },
    addon,
  )
}

/** Until nothing is looked at again: the first two calls look, and so do all within a tick of the clock after a change. */
async function settled(changes: ReturnType<typeof changesOf>) {
  await vi.waitFor(() => expect(changes()).toBe(changes()), { timeout: 10_000 })
  return changes()
}

interface Row {
  readonly given: string
  readonly act: (project: Project) => void
  /** What the next command has protected, writable or closed. */
  readonly expected: (project: Project) => object
}

const protecting = (path: string) => (project: Project) => ({
  protected: expect.arrayContaining([join(project.workspace, path)]),
})

const rows: readonly Row[] = [
  {
    given: 'the repository’s configuration names hooks',
    act: ({ workspace }) => writeFileSync(join(workspace, '.git/config'), '[core]\n\thooksPath = sub/hooks'),
    expected: protecting('sub/hooks'),
  },
  {
    given: 'the user’s configuration, a link, leads to another file',
    act: ({ home }) => {
      rmSync(join(home, '.gitconfig'))
      symlinkSync('second', join(home, '.gitconfig'))
    },
    expected: protecting('sub/hooks'),
  },
  {
    given: 'the file that the link leads to changes',
    act: ({ home }) => writeFileSync(join(home, 'first'), '[core]\n\thooksPath = sub/hooks'),
    expected: protecting('sub/hooks'),
  },
  {
    given: 'a file appears that a filter’s word names',
    act: ({ workspace }) => writeFileSync(join(workspace, 'tool'), ''),
    expected: protecting('tool'),
  },
  {
    given: 'a directory becomes a repository',
    act: ({ workspace }) => mkdirSync(join(workspace, 'sub/.git')),
    expected: protecting('sub/.git/hooks'),
  },
  {
    given: 'a repository appears in a new directory',
    act: ({ workspace }) => mkdirSync(join(workspace, 'new/.git'), { recursive: true }),
    expected: protecting('new/.git/config'),
  },
  {
    given: 'a worktree is added',
    act: ({ workspace }) => mkdirSync(join(workspace, '.git/worktrees/two')),
    expected: protecting('.git/worktrees/two/gitdir'),
  },
  {
    given: 'the git directory of a submodule appears',
    act: ({ workspace }) => {
      mkdirSync(join(workspace, '.git/modules/m'), { recursive: true })
      writeFileSync(join(workspace, '.git/modules/m/HEAD'), 'ref: refs/heads/main')
    },
    expected: protecting('.git/modules/m/config'),
  },
  {
    given: 'vitrine is installed in the workspace',
    act: ({ workspace }) => mkdirSync(join(workspace, 'node_modules/vitrine'), { recursive: true }),
    expected: protecting('node_modules/vitrine'),
  },
  {
    given: '.git becomes a file',
    act: ({ workspace }) => {
      renameSync(join(workspace, '.git'), join(workspace, 'git'))
      writeFileSync(join(workspace, '.git'), 'gitdir: git')
    },
    expected: protecting('.git'),
  },
  {
    given: 'a writable directory appears',
    act: ({ parent }) => mkdirSync(join(parent, 'cache')),
    expected: ({ workspace, parent }) => ({ roots: [workspace, join(parent, 'cache')] }),
  },
  {
    given: 'a directory above becomes a link to itself elsewhere',
    act: ({ parent }) => {
      renameSync(parent, `${parent}-moved`)
      symlinkSync(`${parent}-moved`, parent)
    },
    expected: ({ workspace }) => ({ why: 'link', path: workspace }),
  },
  {
    given: 'the workspace is removed',
    act: ({ workspace }) => rmSync(workspace, { recursive: true }),
    expected: ({ workspace }) => ({ why: 'missing', path: workspace }),
  },
]

describe.skipIf(!isLinux)('what a command may change, remembered from the last command', () => {
  it.each(rows)('is found anew when $given', async ({ act, expected }) => {
    const project = makeProject()
    const changes = changesOf(project)
    const before = await settled(changes)
    expect(before).not.toMatchObject(expected(project))
    act(project)
    expect(changes()).toMatchObject(expected(project))
  })

  it('is found anew when a file changes twice within a tick of the clock', () => {
    const project = makeProject()
    const config = join(project.workspace, '.git/config')
    const changes = changesOf(project)
    for (let i = 100; i < 400; i++) {
      // Of one size, so that only the time tells them apart.
      writeFileSync(config, `[core]\n\thooksPath = sub/${i}`)
      expect(changes()).toMatchObject(protecting(`sub/${i}`)(project))
    }
  })

  it('is found anew each time when .git is a file, which may lead anywhere', () => {
    const project = makeProject()
    rmSync(join(project.workspace, '.git'), { recursive: true })
    writeFileSync(join(project.workspace, '.git'), 'gitdir: ../elsewhere')
    const changes = changesOf(project)
    const all = [changes(), changes(), changes(), changes()]
    expect(new Set(all).size).toBe(4)
    expect(existsSync(join(project.parent, 'elsewhere'))).toBe(false)
    expect(readFileSync(join(project.workspace, '.git'), 'utf8')).toBe('gitdir: ../elsewhere')
  })
})
