import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { busyMs } from '../helpers/busy.ts'
import { makeDirectory } from '../helpers/place.ts'
import { builtLibrary, compileFixture, repository } from '../helpers/programs.ts'

/** What a busy machine gets on top of each limit, in milliseconds: the file system never answers. */
export const slack = busyMs

/** What a host did with a file system that does not answer, and for how many milliseconds. */
export interface Timed<T> {
  readonly value?: T
  readonly code?: string
  readonly message?: string
  readonly reason?: string
  readonly ms: number
}

/** Why no such file system can be had; null: it can. */
export function missing(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root can mount a file system'
  return existsSync('/dev/fuse') ? null : '/dev/fuse is not here'
}

/** Runs test/fixtures/facts/NAME.mjs beside one, and returns what it says happened. */
export async function runHost<Happened>(name: string): Promise<Happened> {
  builtLibrary()
  const mounted = join(makeDirectory(), 'mounted')
  mkdirSync(mounted)
  // The server hangs beyond SIGKILL: it has read what it does not answer. Nobody outside the namespace sees it.
  const script = join(repository, 'test/fixtures/facts', `${name}.mjs`)
  const host = [process.execPath, script, compileFixture('fuse'), mounted, makeDirectory()]
  const child = spawn('unshare', ['--mount', '--propagation', 'private', ...host], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const said = child.stdout.setEncoding('utf8').toArray()
  expect(await once(child, 'exit')).toEqual([0, null])
  return JSON.parse((await said).join('')) as Happened
}
