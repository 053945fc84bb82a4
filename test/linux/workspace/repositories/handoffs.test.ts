import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Home } from '../../../cli/vitrine.ts'
import { gitEnvironment } from '../../../helpers/git.ts'
import { makeDirectory, openTestShell } from '../../../helpers/place.ts'
import { namedLines } from '../../../helpers/words.ts'

const given = `
git init -q .; mkdir -p src packages/a; echo x > src/main.c
echo '{ "name": "a", "scripts": { "prepare": "true", "test": "true" } }' > package.json; cp package.json packages/a
printf 'all: main\\nmain: src/main.c\\n\\tcp src/main.c main; mkdir -p out/refs out/x; chmod +x main\\n' > Makefile
git add -A; git commit -qm first; git branch other
`

async function open(toml = '') {
  const parent = makeDirectory()
  const cwd = join(parent, 'project')
  for (const directory of [cwd, join(parent, 'home')]) mkdirSync(directory)
  execFileSync('sh', ['-ec', given], { cwd, env: gitEnvironment(cwd), stdio: 'pipe' })
  return openTestShell({ cwd, mode: 'workspace', toml, env: gitEnvironment(join(parent, 'home')) })
}

/** What a command makes or changes, and how the result tells it: path, kind and program. */
const rows = namedLines(`
src/.envrc environment direnv: echo x > src/.envrc
src/.vscode/tasks.json editor Visual Studio Code: mkdir src/.vscode; echo {} > src/.vscode/tasks.json
src/.vscode editor Visual Studio Code: mkdir c; echo {} > c/tasks.json; mv c src/.vscode
src/.mcp.json agent MCP clients: echo {} > src/x; ln src/x src/.mcp.json
src/.envrc environment direnv: ln -s main.c src/.envrc
a.code-workspace editor Visual Studio Code: echo {} > a.code-workspace
bin/activate-hermit environment Hermit: mkdir bin; echo x > bin/activate-hermit
d/.envrc environment direnv: echo x > $TMPDIR/.envrc; mkdir $TMPDIR/d; mv $TMPDIR/.envrc $TMPDIR/d; mv $TMPDIR/d d
package.json script npm, pnpm, Yarn and Bun: sed -i s/test/postinstall/ package.json
packages/a/package.json script npm, pnpm, Yarn and Bun: sed s/true/evil/ package.json > p; mv p packages/a/package.json
packages/a/package.json script npm, pnpm, Yarn and Bun: rm packages/a/package.json; echo '{"scripts":{"install":"x"}}' > packages/a/package.json
b/package.json script npm, pnpm, Yarn and Bun: mkdir b; echo '{"scripts":{"preinstall":"x"}}' > b/package.json
sub repository git: git init -q sub; mkdir -p sub/.github/workflows sub/.vscode; echo x > sub/.github/workflows/ci.yml
src/tree repository git: git worktree add -q src/tree other
`)

const ordinary = [
  'echo y >> src/main.c; sed -i s/x/z/ src/main.c; mkdir -p src/.github/workflows; echo x > src/.github/workflows/ci.yml',
  'echo y > new; git add -A; git commit -qm second; git checkout -q other; git stash list; git gc -q',
  'make; make -B; mkdir -p objects; rm -r out',
  'mkdir -p node_modules/m/.vscode; echo {} > node_modules/m/.vscode/a; echo x > node_modules/m/.envrc; cp package.json node_modules/m',
  'mv package.json p; sed s/\\"a\\"/\\"b\\"/ p > package.json; echo " " >> packages/a/package.json',
  'git init -q $TMPDIR/r; echo x > $TMPDIR/.envrc',
  'git init -q src/gone; echo x > src/.envrc; rm -rf src/gone src/.envrc',
  'mkdir -p src src/none; mkdir src; ln -s x src/main.c; ln none there; mv none there; mkdir /usr/x; rmdir src/none',
]

describe.runIf(process.platform === 'linux')('handoffs', () => {
  it.each(rows)('name what is new: %s, after %s', async (told, command) => {
    const shell = await open()
    const { handoffs, stderr } = await shell.execute({ command })
    const texts = handoffs.map(
      ({ path, kind, obeyedBy }) => `${path.slice(shell.cwd.length + 1)} ${kind} ${obeyedBy}`,
    )
    expect(texts, stderr).toEqual([told])
  })

  it.each(ordinary)('are empty after ordinary work: %s', async (command) => {
    expect((await (await open()).execute({ command })).handoffs).toEqual([])
  })

  it('name workflows and editor tasks where they are granted', async () => {
    const shell = await open('[workspace]\nprotected = []')
    const command =
      'mkdir -p .github/workflows .vscode; echo x > .github/workflows/ci.yml; echo x > .vscode/tasks.json'
    const { handoffs } = await shell.execute({ command })
    expect(handoffs.map(({ kind }) => kind)).toEqual(['ci', 'editor'])
  })

  it('are at most a hundred, and more of them are not lost for the protection of repositories', async () => {
    const shell = await open()
    const { handoffs } = await shell.execute({
      command: 'for n in $(seq 300); do mkdir -p src/$n/.git; done',
    })
    expect(handoffs.length).toBe(100)
    const { exitCode } = await shell.execute({
      command: 'for n in $(seq 300); do ! mkdir src/$n/.git/hooks || exit 9; done',
    })
    expect(exitCode).toBe(0)
  })

  it('are told in the audit log', async () => {
    const log = join(makeDirectory(), 'audit.jsonl')
    const shell = await open(`[audit]\npath = "${log}"`)
    await shell.execute({ command: 'echo x > src/.envrc' })
    const { handoffs } = JSON.parse(readFileSync(log, 'utf8'))
    expect(handoffs).toEqual([
      { path: join(shell.cwd, 'src/.envrc'), kind: 'environment', obeyedBy: 'direnv' },
    ])
  })
})

/** A repository, and a process of its own for each command in it. */
function makeProject() {
  const home = new Home()
  const cwd = join(home.directory, 'project')
  mkdirSync(cwd)
  execFileSync('git', ['init', '-q'], { cwd })
  const run = (...args: string[]) => home.run(['run', '--mode', 'workspace', ...args], { cwd })
  return { cwd, run }
}

describe.runIf(process.platform === 'linux')('a repository that vitrine run has made', () => {
  it('is named in one line on stderr, and protected from the next process', async () => {
    const { cwd, run } = makeProject()
    const made = await run('--', 'git init -q vendor/sub; mkdir -p a; echo x > a/.envrc')
    const line = `vitrine: look before a program outside obeys what is new: ${cwd}/vendor/sub (git), ${cwd}/a/.envrc (direnv)\n`
    expect(made).toMatchObject({ code: 0, stdout: '', stderr: line })
    const hook = 'vendor/sub/.git/hooks/pre-commit'
    expect(await run('--', `echo x > ${hook}`)).toMatchObject({ code: 2 })
    expect(existsSync(join(cwd, hook))).toBe(false)
    expect(await run('--', 'echo x > file; git add file')).toMatchObject({ code: 0, stderr: '' })
  })

  it('is in the object of --json', async () => {
    const { cwd, run } = makeProject()
    const { stdout } = await run('--json', '--', 'git init -q --bare vendor/bare')
    const handoff = { path: join(cwd, 'vendor/bare'), kind: 'repository', obeyedBy: 'git' }
    expect(JSON.parse(stdout)).toMatchObject({ handoffs: [handoff] })
  })
})
