import { execFile, execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { afterFile } from '../../../helpers/clean-up.ts'
import { makeDirectory, openTestShell } from '../../../helpers/place.ts'
import { isInstalled } from '../../../helpers/programs.ts'
import { cannotBorrow } from '../../../helpers/surroundings.ts'
import { words } from '../../../helpers/words.ts'
import { find } from '../protected.ts'

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

/**
 * Everything that a command can set. Sizes of directories depend on the file system's history; an index of git holds inodes and
 * times. Extended attributes are printed where getfattr is installed.
 */
export function treeOf(directory: string): readonly string[] {
  return find(
    directory,
    ...words('( ! -newermt -1hour -printf %Ts -o -printf now )'),
    ...[...words('( -type d -printf'), ' %P %M\n', '-o', '-printf', ' %P %M %s %n %l\n', ')'],
    ...words('( ! -path */.git/* -o ! -name index ) -type f -size -1000k -exec grep -anH ^ {} +'),
  )
    .concat(attributesIn(directory))
    .map((line) => line.replaceAll(directory, 'TREE'))
}

const hasXattrs = isInstalled('getfattr')

function attributesIn(cwd: string): readonly string[] {
  if (!hasXattrs) return []
  const options = { cwd, encoding: 'latin1', stdio: 'pipe' } as const
  return execFileSync('getfattr', ['-Rhd', '-m', '-', '.'], options).split('\n\n').sort()
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
    tree: treeOf(cwd),
  }
  rmSync(cwd, { recursive: true, force: true })
  return outcome
}
