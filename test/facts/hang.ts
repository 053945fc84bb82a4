import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { makeDirectory } from '../helpers/place.ts'
import { compileFixture, repository } from '../helpers/programs.ts'

/** What a host did with a file system that never answers, and for how many milliseconds: that it returned is the proof. */
export interface Timed<T> {
  readonly value?: T
  readonly code?: string
  readonly message?: string
  readonly reason?: string
  readonly ms: number
}

/** Why the tests cannot have such a file system; null: they can. */
export function missing(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root can mount a file system'
  return existsSync('/dev/fuse') ? null : '/dev/fuse is not here'
}

/** Runs test/fixtures/facts/NAME.mjs beside one, and returns what it says happened. */
export async function runHost<Happened>(name: string): Promise<Happened> {
  const mounted = join(makeDirectory(), 'mounted')
  mkdirSync(mounted)
  // The server hangs beyond SIGKILL: it has read what it does not answer. It is invisible outside the namespace.
  const script = join(repository, 'test/fixtures/facts', `${name}.mjs`)
  const host = [process.execPath, script, compileFixture('fuse'), mounted, makeDirectory()]
  const child = spawn('unshare', ['--mount', '--propagation', 'private', ...host], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const said = child.stdout.setEncoding('utf8').toArray()
  expect(await once(child, 'exit')).toEqual([0, null])
  return JSON.parse((await said).join('')) as Happened
}
