import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { systemTool } from '../../src/base/paths.ts'
import type { Result, Shell } from '../../src/index.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'
import { readCorpus, readTable } from './rows.ts'

/** Harmless wherever it runs: these are all that a line finds, besides what the project brings. */
const tools =
  `awk base64 basename bash cat chmod cksum cmp col column comm cp cut date dd df diff dirname du echo egrep env expr false fgrep
  file find fold free getconf gawk git grep groups gzip head hexdump hostname id jq less ln locale logname ls lsblk lscpu mawk md5sum mkdir
  mv nice nl nproc od paste pgrep printenv printf ps pwd readlink realpath rev rg rm sed seq sh sha1sum sha256sum sleep sort stat stdbuf
  strings sum tac tail tar tee test time timeout touch tput tr tree true tty uname unexpand uniq unzip uptime users w wc which who whoami
  xargs xxd yes`.split(/\s+/)

/** A project; a hostile one has programs and hooks, and names some in its git configuration, that would leave a mark. */
function makePlace(isHostile: boolean) {
  const root = makeDirectory()
  const cwd = join(root, 'project')
  const [own, bin] = [join(cwd, 'node_modules/.bin'), join(root, 'bin')]
  for (const directory of [own, bin, join(cwd, 'src'), join(root, 'home')])
    mkdirSync(directory, { recursive: true })
  for (const name of tools) {
    const program = systemTool(name)
    if (program !== undefined) symlinkSync(program, join(bin, name))
  }
  const mark = join(root, 'marked')
  const evil = `#!${join(bin, 'sh')}\necho "$0" >> ${mark}\n`
  for (const name of isHostile ? ['strings', 'nl', 'evil'] : [])
    writeFileSync(join(own, name), evil, { mode: 0o755 })
  const lines = 'one 1,2\ntwo 3,4\n'
  const files = 'a b f x file.txt names.txt README.md src/a.ts src/index.ts data.csv Makefile'
  for (const name of files.split(' ')) writeFileSync(join(cwd, name), lines)
  writeFileSync(join(cwd, 'package.json'), '{"name":"a","version":"1"}\n')
  const env = { PATH: `${own}:${bin}`, HOME: join(root, 'home'), ...settled, GIT_CONFIG_GLOBAL: '/dev/null' }
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd,
      env: { ...process.env, ...env, PATH: process.env['PATH'] },
    })
  git('init', '-q', '-b', 'main')
  git('add', 'src', 'a', 'b', 'package.json')
  git('commit', '-q', '-m', 'first')
  git('branch', 'other')
  git('tag', 'v1')
  if (isHostile) plant(cwd, evil, (key, value) => git('config', key, value))
  writeFileSync(join(cwd, 'src/a.ts'), 'changed\n')
  return { root, cwd, env }
}

function plant(cwd: string, evil: string, configure: (key: string, value: string) => void): void {
  for (const [key, value] of hostile(join(cwd, 'node_modules/.bin/evil'))) configure(key, value)
  writeFileSync(join(cwd, '.git/info/attributes'), '* diff=evil filter=evil\n')
  for (const hook of ['post-index-change', 'reference-transaction', 'post-checkout'])
    writeFileSync(join(cwd, '.git/hooks', hook), evil, { mode: 0o755 })
}

const settled = { LC_ALL: 'C', TZ: 'UTC', BASH_ENV: 'evil.sh', x: '-oF', N: '2' }

function hostile(program: string): readonly (readonly [string, string])[] {
  const keys =
    'core.fsmonitor core.pager diff.external diff.evil.command diff.evil.textconv filter.evil.clean gpg.program core.editor'
  return [...keys.split(' ').map((key) => [key, program] as const), ['alias.st', `!${program}`]]
}

/** Names, kinds, modes, times and contents of everything in a directory. */
function snapshot(path: string): readonly string[] {
  const status = lstatSync(path)
  const about = `${path} ${status.mode} ${status.size} ${status.mtimeMs}`
  if (status.isSymbolicLink()) return [`${about} ${readlinkSync(path)}`]
  if (status.isDirectory()) return [about, ...readdirSync(path).flatMap((name) => snapshot(join(path, name)))]
  return [`${about} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`]
}

async function open(answer: 'yes' | 'no', isHostile = true) {
  const place = makePlace(isHostile)
  /** The reasons of all questions so far. */
  const asked: string[] = []
  const unset = Object.fromEntries(Object.keys(process.env).map((name) => [name, undefined]))
  // Where vitrine itself keeps long outputs.
  const shellEnv = { ...unset, ...place.env, XDG_STATE_HOME: makeDirectory() }
  const shell = await openTestShell({
    cwd: place.cwd,
    mode: 'write',
    env: shellEnv,
    approver: async (_, { reason }) => {
      asked.push(reason)
      return answer
    },
  })
  return { ...place, shell, shellEnv, asked }
}

const timeoutMs = 8000

/** Undefined: refused. */
async function run({ shell }: { readonly shell: Shell }, command: string): Promise<Result | undefined> {
  try {
    return await shell.execute({ command, timeoutMs })
  } catch (error) {
    if (['DENIED', 'NOT_APPROVED'].includes(String(Object(error).code))) return undefined
    throw error
  }
}

/** They search the machine, or wait for input. */
const slow =
  /(?:^|[ ;|])(?:find|du|rg|grep -r\S*|ls -R) [^|;]*\/(?: |$)|^find \/|tail -[a-zA-Z]*f|--pid|\/dev\/sd|while true|sleep [1-9]|--follow|-print0 \/|^read|lsof|^w$/
/** What they print changes with time, or with the machine. */
const unsteady =
  /^(?:ps|w|who|uptime|free|df|date|pgrep|top|ss|lsof|env|printenv|id|tty|history|du|nproc|locale|stat|ls -\S*[ltu]|time|git var)\b|^TZ=UTC date|cpuinfo|--stats|\$\$|\$!|\$PPID|random|\| *(?:date|env)|%[TSN]|--version|--json|config --list|config -l|TMPDIR|-printf|ls -la|ls -l/

const written = readTable().filter(({ preset, mode }) => preset === 'default' && mode === 'write')
const lines = [...new Set([...written.map(({ command }) => command), ...readCorpus()])].filter(
  (line) => !slow.test(line),
)

/** Each changes something in the project, the repository or the home directory. */
const effects = `sort -o names.txt a
sort --output=F x
sort -uoF x
sort "$x" names.txt
sed -i s/one/two/ f
sed --in-place s/one/two/ f
sed -n 'w F' f
sed 's/one/two/w F' f
sed '1e touch F' f
awk '{ print > "F" }' f
awk 'BEGIN { system("touch F") }'
awk '{ print | "cat > F" }' f
find . -name 'a' -delete
find src -fprint F
find src -fls F
find . -name b -o -name f -delete
uniq f F
xxd a F
tar cf F src
git branch new
git branch -D other
git branch -m other another
git tag new
git tag -d v1
git config a.b c
git config --unset core.pager
git remote add o https://example.com/x
git diff --output=F
git log --output=F
git reflog expire --expire=all --all
git status --porcelain > /dev/null; find . -name x -delete
ls; sort -o F f
ls && sed -i s/1/2/ b
echo x | xargs sort -o F
echo a | xargs sed -i s/1/2/
find . -name a -exec sed -i s/1/2/ {} +
sh -c 'sort -o F f'
bash -c 'sed -i s/1/2/ f'
env x=1 sort -o F f
timeout 5 sort -o F f
nice sort -o F f
time sed -i s/1/2/ f
for f in a b; do sed -i s/1/2/ $f; done
if true; then sort -o F f; fi
echo $(sort -o F f)
cat "$(sort -o F f)"
strings a
nl a
ls | nl
cat <<E | sort -o F↵x↵E`
  .split('\n')
  .map((line) => line.replaceAll('↵', '\n'))

describe('a line of the safe list in write mode', () => {
  let place: Awaited<ReturnType<typeof open>>
  beforeAll(async () => {
    place = await open('no')
  })

  it('has at least 500 rows here', () => {
    expect(lines.length + effects.length).toBeGreaterThanOrEqual(500)
  })

  it('changes no file before a yes, whatever its arguments, the project and its repository are', async () => {
    const before = snapshot(place.root)
    const changing: string[] = []
    for (const line of [...lines, ...effects]) {
      await run(place, line)
      if (snapshot(place.root).join('\n') === before.join('\n')) continue
      changing.push(line)
      break
    }
    expect(changing).toEqual([])
  })

  it('asks about nothing, and prints what an unsandboxed run prints, where it only reads', async () => {
    const plain = await open('no', false)
    const unsandboxed = await openTestShell({ cwd: plain.cwd, mode: 'write', env: plain.shellEnv })
    const wrong: string[] = []
    for (const line of readCorpus()) {
      if (slow.test(line) || /\b(?:gh|docker|export)\b|\$\(\(/.test(line)) continue
      const asked = plain.asked.length
      const held = await run(plain, line)
      if (plain.asked.length > asked) wrong.push(`asks: ${line}: ${plain.asked.at(-1)}`)
      if (!held || unsteady.test(line)) continue
      const free = await unsandboxed.execute({ command: line, timeoutMs })
      if (held.mode !== 'read' || held.stdout !== free.stdout || held.exitCode !== free.exitCode)
        wrong.push(`differs: ${line}: ${held.mode}: ${held.stdout} | ${free.stdout}`)
    }
    expect(wrong).toEqual([])
  })

  it.each(effects)('is asked about once where it has an effect: %s', async (line) => {
    const asked = place.asked.length
    await run(place, line)
    expect(place.asked.slice(asked)).toHaveLength(1)
  })

  it('runs in write mode once it is approved', async () => {
    const approved = await open('yes')
    for (const line of ['sort -o F names.txt', 'git branch new', 'find src -name a.ts -delete']) {
      const before = snapshot(approved.cwd).join('\n')
      const decision = { verdict: 'ask' }
      expect(await run(approved, line)).toMatchObject({ mode: 'write', exitCode: 0, decision })
      expect(snapshot(approved.cwd).join('\n')).not.toBe(before)
    }
    expect(approved.asked).toHaveLength(3)
  })
})

it('the mark of a hostile program is seen without a sandbox', async () => {
  const place = makePlace(true)
  const shell = await openTestShell({ cwd: place.cwd, mode: 'write', env: place.env })
  await shell.execute({ command: 'nl a' })
  expect(readFileSync(join(place.root, 'marked'), 'utf8')).toContain('nl')
})
