import { execFile, execFileSync } from 'node:child_process'
import { lstatSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { afterFile } from '../../../helpers/clean-up.ts'
import { makeDirectory, openTestShell } from '../../../helpers/place.ts'
import { isInstalled } from '../../../helpers/programs.ts'
import { cannotBorrow } from '../../../helpers/surroundings.ts'

/** One command, run in workspace mode and in write mode on two equal trees. */
interface Twin {
  readonly command: string
  /** Run without a sandbox on both trees before. */
  readonly given?: string
  /** The programs that it needs. */
  readonly needs?: readonly string[]
  /** The network is open to it. */
  readonly network?: boolean
}

export interface Outcome {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  readonly tree: readonly string[]
}

/** One twin for each line of text. */
export function twinsOf(lines: string, common: Omit<Twin, 'command'> = {}): Twin[] {
  return lines
    .trim()
    .split('\n')
    .map((command) => ({ command, ...common }))
}

/** Several twins at once: most of their time is spent starting programs. */
export function describeTwins(title: string, twins: readonly Twin[]): void {
  describe.runIf(process.platform === 'linux')(title, { concurrent: true, timeout: 600_000 }, () => {
    it.for(twins)('$command', async (twin, { skip }) => {
      const missing = missingProgram(twin)
      if (missing) skip(`${missing} is not installed`)
      const filtered = /\bflock\b|\bfcntl\b|\bO_TMPFILE\b/.test(twin.command) ? cannotBorrow() : null
      if (filtered) skip(filtered)
      const { workspace, write } = await runTwins(twin)
      expect(workspace).toEqual(write)
    })
  })
}

const optional =
  'attr busybox bzip2 cpio ctags gawk ed file fish g++ gcc getfattr inotifywait java jq make ninja node openssl patch gradle'
    .concat(' perl python3 rsync setfattr sqlite3 unzip vim xxd xz zip zsh zstd cargo go cmake npm pnpm tox')
    .split(' ')

/** What the twin needs, or its command names, and this machine lacks. */
function missingProgram({ command, needs = [] }: Twin): string | undefined {
  const named = new Set(command.split(/[\s;|&()'"]+/))
  return [...needs, ...optional.filter((program) => named.has(program))].find((name) => !isInstalled(name))
}

/** Everything of a file that a command can set, on a line. Directories' sizes depend on the file system's history. */
function describeFile(path: string, name: string): string {
  const { mode, size, mtimeMs, nlink } = lstatSync(path)
  const isDirectory = (mode & 0o170000) === 0o040000
  const old = mtimeMs < Date.now() - 3_600_000 ? Math.floor(mtimeMs / 1000) : 'now'
  return [
    name,
    mode.toString(8),
    isDirectory ? '' : size,
    isDirectory ? '' : nlink,
    old,
    contentOf(path, name),
  ].join(' ')
}

function contentOf(path: string, name: string): string {
  const { mode, size } = lstatSync(path)
  const kind = mode & 0o170000
  // It holds inodes and times.
  if (/(^|\/)\.git\/(.*\/)?index$/.test(name)) return ''
  if (kind === 0o120000) return readlinkSync(path)
  return kind === 0o100000 && size < 1_000_000 ? readFileSync(path, 'latin1') : ''
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

const hasXattrs = isInstalled('getfattr')

function xattrsOf(cwd: string): string[] {
  if (!hasXattrs) return []
  const printed = execFileSync('getfattr', ['-Rhd', '-m', '-', '.'], {
    cwd,
    encoding: 'latin1',
    stdio: 'pipe',
  })
  return printed.split('\n\n').sort()
}

const fixture = `
mkdir tree && cd tree
git init -q -b main . && git config user.email a@example.org && git config user.name A && git config pack.threads 1
mkdir -p src/deep .github/workflows .vscode
echo on: push > .github/workflows/ci.yml; echo '{}' > .vscode/settings.json
printf 'int main(void) { return 0; }\\n' > src/main.c; printf 'one\\ntwo\\nthree\\n' > src/deep/text
ln -s src/main.c link; printf '#!/bin/sh\\necho ran\\n' > run.sh; chmod +x run.sh
git add -A && git commit -qm first
find . -path ./.git -prune -o -exec touch -hd 2019-06-05T04:03:02Z {} +
`

/** The same clock for both: git's object names depend on it. */
const env = {
  GIT_AUTHOR_DATE: '2020-01-01T00:00:00Z',
  GIT_COMMITTER_DATE: '2020-01-01T00:00:00Z',
  GIT_CONFIG_NOSYSTEM: '1',
  SOURCE_DATE_EPOCH: '1577836800',
  LC_ALL: 'C.UTF-8',
  HOME: '/dev/null/home',
}

const toml = `[env]\nset = { ${Object.entries(env)
  .map(([name, value]) => `${name} = "${value}"`)
  .join(', ')} }\n`

/** Other twins go on meanwhile. */
async function sh(script: string, cwd: string): Promise<void> {
  await promisify(execFile)('sh', ['-ec', script], { cwd, env: { ...process.env, ...env } })
}

let master: Promise<string> | undefined

async function makeMaster(): Promise<string> {
  const directory = makeDirectory()
  afterFile(() => {
    master = undefined
  })
  await sh(fixture, directory)
  return join(directory, 'tree')
}

/** The tree that all commands begin with: made once, then copied. */
async function makeTree(given: string): Promise<string> {
  master ??= makeMaster()
  const parent = makeDirectory()
  await sh(`cp -a '${await master}' tree; cd tree; git update-index -q --refresh\n${given}`, parent)
  return join(parent, 'tree')
}

async function runTwins(twin: Twin): Promise<{ workspace: Outcome; write: Outcome }> {
  const [workspace, write] = await Promise.all([runOne('workspace', twin), runOne('write', twin)])
  return { workspace, write }
}

async function runOne(
  mode: 'workspace' | 'write',
  { command, given = '', network = false }: Twin,
): Promise<Outcome> {
  const cwd = await makeTree(given)
  const shell = await openTestShell({ cwd, mode, network, env: { HOME: env.HOME }, toml })
  const { exitCode, stdout, stderr } = await shell.execute({ command, timeoutMs: 300_000 })
  const text = (given: string) => given.replaceAll(cwd, 'TREE')
  const outcome = {
    exitCode,
    stdout: text(stdout),
    stderr: text(stderr),
    tree: [...treeOf(cwd), ...xattrsOf(cwd)].map(text),
  }
  rmSync(cwd, { recursive: true, force: true })
  return outcome
}
