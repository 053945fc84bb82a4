import { spawn } from 'node:child_process'
import {
  chmodSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { buildPrograms } from '../../../attacks/build.ts'
import type { User } from '../../../attacks/table.ts'
import { makeDirectory } from '../../../helpers/place.ts'
import { runAs } from '../../../helpers/run-as.ts'

/** The operations of test/fixtures/attack/workspace/races.c. */
export const operations = `
open O_CREAT, open O_CREAT|O_EXCL, open O_TRUNC, open O_RDWR, mkdir, mknod, symlink, link to, link from, rename to,
rename from, renameat2 RENAME_NOREPLACE, renameat2 RENAME_EXCHANGE, unlink, rmdir, truncate, chmod, utimensat, setxattr
`
  .trim()
  .split(/,\s+/)

/** Those of them that `npm test` tries: one that makes a file, one that takes two paths, one that removes, one that sets. */
export const quickOperations = ['open O_CREAT', 'rename to', 'unlink', 'chmod']

interface Place {
  readonly workspace: string
  readonly outside: string
}

/** What the program exchanges: a directory inside, and links that lead outside and to what is protected. */
function fill(base: string, up: string): void {
  for (const name of ['swap', 'real']) {
    mkdirSync(join(base, name, 'hooks'), { recursive: true })
    writeFileSync(join(base, name, 'config'), 'inside')
  }
  for (const [name, target] of [
    ['link-out', '../outside'],
    ['link-git', '.git'],
    ['link-vscode', '.vscode'],
  ] as const)
    symlinkSync(join(up, target), join(base, name))
}

function victim(directory: string): void {
  mkdirSync(join(directory, 'hooks'), { recursive: true })
  writeFileSync(join(directory, 'config'), '# not to be changed')
}

function entriesUnder(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((name) => join(directory, name))
}

function makePlace({ uid, gid }: User): Place {
  const parent = makeDirectory()
  const place = { workspace: join(parent, 'work'), outside: join(parent, 'outside') }
  for (const directory of [place.outside, join(place.workspace, '.git'), join(place.workspace, '.vscode')])
    victim(directory)
  fill(place.workspace, '')
  fill(join(place.workspace, 'granted'), '..')
  fill(join(place.workspace, 'p'), '..')
  chmodSync(parent, 0o755)
  for (const path of [parent, ...entriesUnder(parent)]) lchownSync(path, uid, gid)
  return place
}

/** All of a file that any call could change. A changed inode shows in its change time, whatever the call set back. */
function fileState(path: string) {
  const { ino, mode, nlink, uid, gid, mtimeNs, ctimeNs } = lstatSync(path, { bigint: true })
  const content = lstatSync(path).isFile() ? readFileSync(path, 'utf8') : null
  return { ino, mode, nlink, uid, gid, mtimeNs, ctimeNs, content }
}

function stateOf(directory: string): readonly unknown[] {
  return ['.', ...readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort()].map((name) => ({
    name,
    ...fileState(join(directory, name)),
  }))
}

/** In `.git` other names may come and go: a path that changes while it is read can name one of them. */
const protectedInGit = ['commondir', 'config', 'config.worktree', 'info/attributes', 'hooks']

const watched = ({ workspace, outside }: Place) => ({
  outside: stateOf(outside),
  vscode: stateOf(join(workspace, '.vscode')),
  git: protectedInGit
    .map((name) => join(workspace, '.git', name))
    .map((path) => {
      const found = lstatSync(path, { throwIfNoEntry: false })
      return found && [fileState(path), found.isDirectory() && stateOf(path)]
    }),
})

interface Raced {
  readonly before: ReturnType<typeof watched>
  readonly after: ReturnType<typeof watched>
  readonly tries: number
  readonly succeeded: number
  readonly ms: number
}

/** Makes the operation so often while a process outside of the sandbox exchanges the names that its paths go through. */
export async function race(
  user: User,
  mode: 'workspace' | 'write',
  operation: string,
  tries: number,
): Promise<Raced> {
  const place = makePlace(user)
  const program = buildPrograms().races
  const before = watched(place)
  const credentials = user.uid === process.getuid?.() ? {} : { uid: user.uid, gid: user.gid }
  const swapper = spawn(program, ['swap'], { cwd: place.workspace, stdio: 'ignore', ...credentials })
  const ended = new Promise((resolve) => swapper.on('close', resolve))
  try {
    const [result] = await runAs(user, {
      options: { mode, cwd: place.workspace },
      commands: [[program, operation, String(tries)]],
      timeoutMs: 900_000,
    })
    expect(result?.exitCode, result?.stderr).toBe(0)
    const { tries: done, succeeded } = JSON.parse(result?.stdout ?? '') as Raced
    return { before, after: watched(place), tries: done, succeeded, ms: result?.durationMs ?? 0 }
  } finally {
    swapper.kill('SIGKILL')
    await ended
  }
}
