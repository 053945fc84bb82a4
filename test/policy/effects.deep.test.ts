import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { gatherFacts } from '../../src/facts/gather.ts'
import { Lookup } from '../../src/facts/lookup.ts'
import { pathLookupHere } from '../../src/host/host.ts'
import { decide } from '../../src/policy/decide/decide.ts'
import { factsNeeded, planRequest } from '../../src/policy/decide/plan.ts'
import { presetRules } from './helper.ts'
import { readCorpus, readTable } from './rows.ts'

const TIMEOUT_MS = 1_500
const NOBODY = 65_534
const isRoot = process.getuid?.() === 0
/** They search the whole machine, or wait for input: slow, and they prove nothing. */
const SLOW = /^find \/|^tail -f|--pid=1|^cat \/dev|^while true|^sleep|^head -c 16 \/dev/

let root = ''
let project = ''

// A retry begins anew: in a project that a line has changed already, the same line changes nothing.
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'vitrine-effects-')))
  project = join(root, 'project')
  for (const directory of ['project/src', 'project/test', 'project/dist', 'home', 'home/.config'])
    mkdirSync(join(root, directory), { recursive: true })
  for (const name of [
    'a',
    'b',
    'f',
    'x',
    'file.txt',
    'names.txt',
    'package.json',
    'README.md',
    'src/a.ts',
    'src/index.ts',
    'data.csv',
    'Makefile',
  ])
    writeFileSync(
      join(project, name),
      name.endsWith('json') ? '{"name":"a","version":"1"}\n' : 'one 1,2\ntwo 3,4\n',
    )
  const git = (...args: readonly string[]) =>
    spawnSync('git', ['-C', project, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args])
  git('init', '-q', '-b', 'main')
  git('add', '.')
  git('commit', '-q', '-m', 'first')
  git('branch', 'other')
  git('tag', 'v1')
  writeFileSync(join(project, 'src', 'a.ts'), 'changed\n')
  // Another time and the same content: what makes git write a refreshed index.
  utimesSync(join(project, 'names.txt'), 1_700_000_000, 1_700_000_000)
  open(root)
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

/** Every user may change everything, so that a command that tries is seen. */
function open(path: string): void {
  const status = lstatSync(path)
  if (status.isSymbolicLink()) return
  chmodSync(path, status.isDirectory() ? 0o777 : 0o666)
  if (status.isDirectory()) for (const name of readdirSync(path)) open(join(path, name))
}

/** Names, kinds, modes, times and contents of everything below a directory. */
function snapshot(path: string): string[] {
  const status = lstatSync(path)
  const about = `${path} ${status.mode} ${status.size} ${status.mtimeMs} ${status.uid}`
  if (status.isSymbolicLink()) return [`${about} ${readlinkSync(path)}`]
  if (status.isDirectory()) return [about, ...readdirSync(path).flatMap((name) => snapshot(join(path, name)))]
  return [`${about} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`]
}

async function isAllowed(line: string): Promise<boolean> {
  const request = planRequest({
    work: { kind: 'line', line },
    mode: 'write',
    cwd: project,
    home: join(root, 'home'),
  })
  const around = { workspace: '', ownPaths: [], programPath: '', projects: [] }
  const facts = await gatherFacts(factsNeeded(request), around, new Lookup(await pathLookupHere()))
  return decide(request, presetRules('default'), facts).verdict === 'allow'
}

/** Runs a line as write mode does, and waits no longer than it must. */
async function run(line: string): Promise<void> {
  const child = spawn('sh', ['-c', line], {
    cwd: project,
    stdio: 'ignore',
    detached: true,
    env: {
      PATH: process.env['PATH'],
      HOME: join(root, 'home'),
      GIT_OPTIONAL_LOCKS: '0',
      GIT_CONFIG_COUNT: '2',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: '*',
      // Without it git diff writes a refreshed index, GIT_OPTIONAL_LOCKS or not (seen with git 2.39).
      GIT_CONFIG_KEY_1: 'diff.autoRefreshIndex',
      GIT_CONFIG_VALUE_1: 'false',
      x: '-oF',
      PATTERN: '--pre=touch',
      N: '2',
    },
    ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
  })
  const timer = setTimeout(() => end(child.pid), TIMEOUT_MS)
  await once(child, 'exit')
  clearTimeout(timer)
  end(child.pid)
}

function end(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

describe('what write mode allows without asking', () => {
  const table = readTable().filter(({ preset, mode }) => preset === 'default' && mode === 'write')
  const lines = [...new Set([...table.map(({ command }) => command), ...readCorpus()])].filter(
    (line) => !SLOW.test(line),
  )

  it('changes nothing when it runs in a project and a home that every user can write', {
    timeout: 300_000,
  }, async () => {
    const allowed: string[] = []
    for (const line of lines) if (await isAllowed(line)) allowed.push(line)
    expect(allowed.length).toBeGreaterThan(400)
    const changing: string[] = []
    let before = snapshot(root)
    for (const line of allowed) {
      await run(line)
      const after = snapshot(root)
      if (after.join('\n') !== before.join('\n'))
        changing.push(`${line}: ${after.find((entry) => !before.includes(entry))}`)
      before = after
    }
    expect(changing).toEqual([])
  })
})
