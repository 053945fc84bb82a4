import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { protectedInGit, protectedInWorkspace, protectedInWorktree } from '../src/base/obeyed-names.ts'
import { obeyedAtHome } from '../src/sandbox/workspace/obeyed.ts'
import { Home } from './cli/vitrine.ts'
import { makeDirectory } from './helpers/place.ts'
import { readable, repository } from './helpers/programs.ts'

const documents = ['.', 'docs', 'examples'].flatMap((directory) =>
  readdirSync(join(repository, directory), { recursive: directory !== '.', encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(directory, name)),
)
const textOf = (document: string) => readFileSync(join(repository, document), 'utf8')
const linesOf = (document: string) => textOf(document).split('\n')

/** The fenced blocks of a document in one language, without their fences. */
function blocksOf(document: string, language: string): string[] {
  return [...textOf(document).matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(
    ([, block]) => block ?? '',
  )
}

/** Commands that run what the registry has under the name, whatever it is. */
const fetching =
  /\bnpx (-\S+ )*vitrine\b|["']npx["'].*["']vitrine["']|\bnpm (i|install|add|exec) (-\S+ )*vitrine(?!-)\b/

describe('documents', () => {
  it('name the tarball, and the registry only as "once published"', () => {
    const lines = documents.flatMap((document) => linesOf(document).map((line) => `${document}: ${line}`))
    expect(lines.filter((line) => line.includes('./vitrine-*.tgz')).length).toBeGreaterThan(1)
    const wrong = lines.filter((line) => fetching.test(line) && !/once published: [^;]*$/.test(line))
    expect(wrong).toEqual([])
  })

  it('are all reached by links from README.md', () => {
    const reached = new Set(['README.md'])
    for (const document of reached)
      for (const link of linksOf(document).filter((to) => /\.md(#|$)/.test(to)))
        reached.add(targetOf(document, link))
    const users = documents.filter((document) => document !== 'examples/README.md')
    expect(users.filter((document) => !reached.has(document))).toEqual([])
  })

  it.each(documents)('%s links to files and headings that exist', (document) => {
    expect(linksOf(document).filter((link) => !leadsSomewhere(document, link))).toEqual([])
  })
})

describe('a source file that a document names', () => {
  const files = ['src', 'native', 'test', 'bench', 'scripts'].flatMap((directory) =>
    readdirSync(join(repository, directory), { recursive: true, encoding: 'utf8' }).map(
      (path) => `/${directory}/${path}`,
    ),
  )
  it.each(documents)('exists: %s', (document) => {
    const named = codeOf(textOf(document)).filter((name) =>
      /^[\w/-]+(?:\.\w+)*\.(ts|mjs|c|h|cc)$/.test(name ?? ''),
    )
    expect(named.filter((name) => !files.some((file) => file.endsWith(`/${name}`)))).toEqual([])
  })
})

const linksOf = (document: string) =>
  [...textOf(document).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link]) => link ?? '')
    .filter((link) => !/^[a-z]+:/.test(link))

/** The file that a link of a document leads to, from the root of the repository. */
function targetOf(document: string, link: string): string {
  const [path = ''] = link.split('#')
  return path === '' ? document : normalize(join(dirname(document), path))
}

function leadsSomewhere(document: string, link: string): boolean {
  const heading = link.split('#')[1]
  const target = targetOf(document, link)
  if (!existsSync(join(repository, target))) return false
  return heading === undefined || headingsOf(target).includes(heading)
}

/** The anchors that GitHub gives to the headings of a document. */
const headingsOf = (document: string) =>
  linesOf(document)
    .filter((line) => /^#+ /.test(line))
    .map((line) =>
      line
        .replace(/^#+ /, '')
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    )

describe('SECURITY.md', () => {
  it('names the last reviewed system call', () => {
    const header = readFileSync(join(repository, 'native/linux/confine/filter/syscalls.h'), 'utf8')
    const [, number] = /VT_LAST_REVIEWED_SYSCALL (\d+)/.exec(header) ?? []
    expect(textOf('SECURITY.md')).toContain(`up to number ${number} (`)
  })

  it('links to every document of docs/security', () => {
    const subjects = documents.filter((document) => document.startsWith('docs/security/'))
    expect(subjects.length).toBeGreaterThan(5)
    expect(subjects.filter((subject) => !linksOf('SECURITY.md').includes(subject))).toEqual([])
  })
})

it('docs/api.md is what the comments of the public types say, and nothing public has none', () => {
  const args = ['scripts/write-api.mjs', '--check']
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: repository, encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
})

describe('docs/workspace.md', () => {
  const blocks = textOf('docs/workspace.md').split('\n\n')
  const beneath = (heading: string) => blocks.slice(blocks.findIndex((block) => block.startsWith(heading)))
  /** The names of a list, each entry of which says behind them who obeys them. */
  const namesIn = (list = '') =>
    list
      .split(/^- /m)
      .slice(1)
      .flatMap((entry) => codeOf(/^[^:]*`:\s+(?=\S)/.exec(entry)?.[0] ?? ''))

  it('names each protected path, who obeys it, and no other', () => {
    const lists = beneath('## What is protected').filter((block) => block.startsWith('- `'))
    expect(lists.slice(0, 3).map(namesIn)).toEqual([
      [...protectedInWorkspace, '.git', 'HEAD'],
      protectedInGit,
      protectedInWorktree,
    ])
  })

  it('names what programs outside obey at home, with examples', () => {
    const list = beneath('### Places that programs outside obey').find((block) => block.startsWith('- '))
    const rows = [...(list ?? '').matchAll(/^- (.*): (.*)$/gm)].map(([, by = '', names = '']) => ({
      by,
      names,
    }))
    expect(rows.map(({ by }) => by)).toEqual(obeyedAtHome.map(([by]) => by))
    const places = new Map(obeyedAtHome)
    const unknown = rows.flatMap(({ by, names }) =>
      codeOf(names).filter((name = '') => !places.get(by)?.includes(name)),
    )
    expect(unknown).toEqual([])
  })
})

const codeOf = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code)

describe('README.md', () => {
  it('shows a picture of what a terminal shows today', () => {
    const { status, stderr } = spawnSync(process.execPath, ['scripts/record.mjs', '--check'], {
      cwd: repository,
      encoding: 'utf8',
    })
    expect(status, stderr).toBe(0)
  })

  // Each shell block is run by one of the next three: installing is left to test/package/readme.test.mjs.
  const [install = '', tryIt = '', commands = '', ...others] = blocksOf('README.md', 'sh')

  it('has no shell block that no test runs', () => {
    expect(others).toEqual([])
    expect(blocksOf('README.md', '(bash|shell|console)')).toEqual([])
    expect(install).toMatch(/^npm run pack .*\nnpm install --global /)
  })

  it('has the two commands that a new user runs in CI', () => {
    const lines = tryIt.trim().split('\n')
    const line = lines.map((command) => command.replace(/ +#.*/, '')).join(' && ')
    expect(readFileSync(join(repository, '.ci/run'), 'utf8')).toContain(`sh -c '${line}'`)
  })

  it.each(commands.trim().split('\n'))('has a command that works: %s', async (line) => {
    const { code, stderr } = await new Home().shell(line, { cwd: exampleProject() })
    expect(code, stderr).toBe(0)
  })

  const sessions = blocksOf('README.md', 'text').flatMap((block) => block.trim().split('\n\n'))
  it.each(sessions)('shows what a command prints: %s', async (session) => {
    const cwd = exampleProject()
    const [line = '', ...output] = session.split('\n')
    const ran = await new Home().shell(line.slice(2), { cwd, env: { LC_ALL: 'C' } })
    const printed = `${ran.stdout}${ran.stderr}`.replaceAll(cwd, '/home/me/project').trimEnd()
    expect(printed).toBe(output.join('\n'))
  })

  function exampleProject(): string {
    const project = makeDirectory()
    mkdirSync(join(project, 'src'))
    writeFileSync(join(project, 'src/main.js'), 'main()\n')
    writeFileSync(join(project, 'notes.txt'), 'hello\n')
    const git = (...args: string[]) => execFileSync('git', args, { cwd: project })
    git('init', '--quiet')
    git('add', '.')
    git('-c', 'user.name=me', '-c', 'user.email=me@example.invalid', 'commit', '--quiet', '-m', 'First')
    return project
  }
})

describe.each(['README.md', 'docs/library.md'])('%s', (document) => {
  it.each(blocksOf(document, 'js').map((block) => [block]))('has a program that runs: block %#', (block) => {
    const project = makeDirectory()
    mkdirSync(join(project, 'node_modules'))
    symlinkSync(readable, join(project, 'node_modules/vitrine'))
    writeFileSync(join(project, 'program.mjs'), block)
    execFileSync('git', ['init', '--quiet'], { cwd: project })
    const { status, stderr } = spawnSync(process.execPath, ['program.mjs'], {
      cwd: project,
      encoding: 'utf8',
      env: { ...process.env, XDG_CONFIG_HOME: project, XDG_STATE_HOME: project },
    })
    expect([status, stderr]).toEqual([0, ''])
  })
})
