import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readable, repository } from './repository.ts'
import { words } from './words.ts'

export interface Account {
  readonly uid: number
  readonly gid: number
}

/** The overflow id of the kernel (/proc/sys/kernel/overflowuid): no entry in /etc/passwd is needed to become it. */
export const nobody: Account = { uid: 65_534, gid: 65_534 }

/** What makes a new process that user's. Node then drops root's other groups as well. */
export function credentials({ uid, gid }: Account): Partial<Account> {
  return uid === process.getuid?.() ? {} : { uid, gid }
}

/** A directory, with all in it. */
export function giveTo({ uid, gid }: Account, directory: string): void {
  execFileSync('chown', ['-hR', `${uid}:${gid}`, directory])
}

/** Why tests cannot run the built command line as that user; null when they can. */
export function whyNot({ uid, gid }: Account): string | null {
  if (uid === process.getuid?.()) return null
  const may = (option: string, path: string) =>
    spawnSync('test', [option, path], { uid, gid, cwd: '/', stdio: 'ignore' }).status === 0
  if (!may('-d', '/')) return `this process cannot become the user ${uid}`
  if (!may('-x', process.execPath)) return `the user ${uid} cannot execute ${process.execPath}`
  if (!may('-w', tmpdir())) return `the user ${uid} cannot write to ${tmpdir()}`
  return may('-r', join(readable, 'dist/cli.cjs')) ? null : `the user ${uid} cannot read ${readable}`
}

const parts = words(`
  package.json config.example.toml config.schema.json dist src/sandbox build/Release/vitrine.node
  test/fixtures
`)

/** Copies what tests run of this repository to a place that every user can read. */
export function copyForOthers(): string {
  const copy = mkdtempSync(join(tmpdir(), 'vitrine-copy-'))
  for (const part of [...parts, ...dependencies()])
    if (existsSync(join(repository, part)))
      cpSync(join(repository, part), join(copy, part), { recursive: true })
  mkdirSync(join(copy, 'build/fixtures'), { recursive: true })
  chmodSync(copy, 0o755)
  spawnSync('chmod', ['-R', 'a+rX', copy])
  return copy
}

/** The directories of the packages that dist/ loads, and of those that they load. */
function dependencies(found = new Set<string>(), of = repository): Set<string> {
  const { dependencies: names = {} } = JSON.parse(readFileSync(join(of, 'package.json'), 'utf8')) as {
    dependencies?: Readonly<Record<string, string>>
  }
  for (const name of Object.keys(names)) {
    const directory = `node_modules/${name}`
    if (found.has(directory) || !existsSync(join(repository, directory))) continue
    found.add(directory)
    dependencies(found, join(repository, directory))
  }
  return found
}
