import {
  type BigIntStats,
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Arrange, Outside, Target } from '../attack.ts'
import { runOutside } from './helper.ts'

function content(path: string, stats: BigIntStats): string | null {
  if (stats.isFile()) return stats.size < 1_000_000n ? readFileSync(path, 'latin1') : null
  return stats.isSymbolicLink() ? readlinkSync(path) : null
}

/** Everything that stat(2) tells, but for the access time, which reading changes, and the blocks, which the kernel allocates late. */
const FIELDS = ['dev', 'ino', 'mode', 'uid', 'gid', 'nlink', 'rdev', 'size', 'mtimeNs', 'ctimeNs'] as const

function describe(path: string): unknown {
  const stats = lstatSync(path, { bigint: true })
  return [path, content(path, stats), ...FIELDS.map((field) => stats[field])]
}

function walk(path: string): string[] {
  if (!lstatSync(path).isDirectory()) return [path]
  return [path, ...readdirSync(path).flatMap((name) => walk(join(path, name)))]
}

/** A whole tree: content, mode, owner, times, links, flags and extended attributes of everything in it. */
function observeTree(outside: Outside, root: string): unknown {
  const paths = walk(root)
  return { entries: paths.map(describe), inodes: runOutside(outside.programs.look, ['inodes', ...paths]) }
}

/** The locks and leases on a file, of whatever kind: proc_locks(5). */
function observeLocks(path: string): readonly string[] {
  const { ino } = lstatSync(path)
  const lines = readFileSync('/proc/locks', 'utf8').split('\n')
  return lines.filter((line) => line.includes(`:${ino} `)).map((line) => line.replace(/^\d+: /, ''))
}

/** Where the target's files are. */
function targetDirectory(outside: Outside): string {
  return join(outside.directory, 'target')
}

/** Makes the files of `files` and returns their paths. */
function makeFiles(outside: Outside): Record<string, string> {
  const directory = targetDirectory(outside)
  const at = (name: string) => join(directory, name)
  mkdirSync(join(directory, 'empty'), { recursive: true })
  writeFileSync(at('file'), 'what stood here before\n'.repeat(200), { mode: 0o644 })
  writeFileSync(at('other'), 'the other file\n'.repeat(400), { mode: 0o644 })
  writeFileSync(at('setuid'), '#!/bin/true\n')
  chmodSync(at('setuid'), 0o4755)
  chmodSync(at('file'), 0o644) // whatever the umask is
  symlinkSync('file', at('link'))
  runOutside(outside.programs.look, ['mark', at('file')])
  return {
    directory,
    file: at('file'),
    other: at('other'),
    setuid: at('setuid'),
    link: at('link'),
    empty: at('empty'),
    new: at('new'),
    beneath: join(at('empty'), 'new'),
  }
}

/** A directory with two files, one of them with an attribute, a set-user-ID file, a symlink, an empty directory. */
export const files: Arrange = (outside): Target => {
  const offers = makeFiles(outside)
  return {
    offers,
    observe: () => observeTree(outside, targetDirectory(outside)),
    dispose: () => rmSync(targetDirectory(outside), { recursive: true, force: true }),
  }
}

/** The same; observed are the locks on the file, for as long as the attacker holds them. */
export const lockable: Arrange = (outside): Target => {
  const target = files(outside) as Target
  const { file = '' } = target.offers
  return { ...target, observe: () => observeLocks(file) }
}
