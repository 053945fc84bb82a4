import { execFileSync } from 'node:child_process'
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Shell } from '../../../src/index.ts'
import { makeDirectory, openTestShell } from '../../helpers/place.ts'

/** One command, run in workspace mode and in write mode on two equal trees. */
export interface Twin {
  readonly command: string
  /** Run in write mode on both trees before. */
  readonly given?: string
  /** The programs that it needs. */
  readonly needs?: readonly string[]
}

export interface Outcome {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  readonly tree: readonly string[]
}

/** Everything of a file that a command can set, on a line. Directories' sizes depend on the file system's history. */
function describeFile(path: string, name: string): string {
  const { mode, size, mtimeMs, nlink } = lstatSync(path)
  const kind = mode & 0o170000
  const isDirectory = kind === 0o040000
  // It holds inodes and times.
  const hidden = name.endsWith('.git/index') || /\.git\/.*\/index$/.test(name)
  const content = hidden
    ? ''
    : kind === 0o120000
      ? readlinkSync(path)
      : kind === 0o100000 && size < 1_000_000
        ? readFileSync(path, 'latin1')
        : ''
  const old = mtimeMs < Date.now() - 3_600_000 ? Math.floor(mtimeMs / 1000) : 'now'
  return [name, mode.toString(8), isDirectory ? '' : size, isDirectory ? '' : nlink, old, content].join(' ')
}

function treeOf(directory: string, under = ''): string[] {
  return readdirSync(join(directory, under))
    .sort()
    .flatMap((entry) => {
      const name = join(under, entry)
      const path = join(directory, name)
      const own = describeFile(path, name)
      return lstatSync(path).isDirectory() ? [own, ...treeOf(directory, name)] : [own]
    })
}

const fixture = `
git init -q -b main . && git config user.email a@example.org && git config user.name A
mkdir -p src/deep .github/workflows .vscode
echo on: push > .github/workflows/ci.yml; echo '{}' > .vscode/settings.json
printf 'int main(void) { return 0; }\\n' > src/main.c; printf 'one\\ntwo\\nthree\\n' > src/deep/text
ln -s src/main.c link; printf '#!/bin/sh\\necho ran\\n' > run.sh; chmod +x run.sh
git add -A && git commit -qm first
`

/** The same clock for both: git's object names depend on it. */
const env = {
  GIT_AUTHOR_DATE: '2020-01-01T00:00:00Z',
  GIT_COMMITTER_DATE: '2020-01-01T00:00:00Z',
  HOME: '/nonexistent',
}

const toml = `[env]\nset = { ${Object.entries(env)
  .map(([name, value]) => `${name} = "${value}"`)
  .join(', ')} }\n`

export async function runTwins({ command, given }: Twin): Promise<{ workspace: Outcome; write: Outcome }> {
  const outcomes = {
    workspace: await runOne('workspace', command, given),
    write: await runOne('write', command, given),
  }
  return outcomes
}

async function runOne(mode: 'workspace' | 'write', command: string, given = ''): Promise<Outcome> {
  const parent = makeDirectory()
  const cwd = join(parent, 'tree')
  mkdirSync(cwd)
  execFileSync('sh', ['-ec', `${fixture}\n${given}`], { cwd, env: { ...process.env, ...env }, stdio: 'pipe' })
  const shell: Shell = await openTestShell({ cwd, mode, env: { HOME: env.HOME }, toml })
  const { exitCode, stdout, stderr } = await shell.execute({ command, timeoutMs: 120_000 })
  const text = (given: string) => given.replaceAll(cwd, 'TREE')
  const outcome = { exitCode, stdout: text(stdout), stderr: text(stderr), tree: treeOf(cwd).map(text) }
  rmSync(cwd, { recursive: true, force: true })
  return outcome
}
