import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { makeDirectory } from '../helpers/place.ts'
import { repository } from '../helpers/programs.ts'

/** Whether a process with these arguments runs. */
function runs(...argv: readonly string[]): boolean {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8') === `${argv.join('\0')}\0`
      } catch {
        return false // it has ended meanwhile
      }
    })
}

it('the addon loads in many threads, and a thread that ends takes its commands along', async () => {
  const seconds = `600.${process.pid}`
  const script = join(repository, 'test/fixtures/workers/workers.mjs')
  const { stdout } = await promisify(execFile)(process.execPath, [script, seconds])
  const three = [
    [3, 0],
    [3, 0],
    [3, 0],
  ]
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([3, three, three, 1, 3])
  await expect.poll(() => runs('sleep', seconds)).toBe(false)
})

it("two copies of the addon in one process do not get in each other's way", async () => {
  const seconds = `600.1${process.pid}`
  const script = join(repository, 'test/fixtures/workers/twice.mjs')
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [script, makeDirectory(), seconds])
  const said = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(said, stderr).toEqual([true, [3, 3], [['create'], ['create']], [true, true], 4, 5])
  await expect.poll(() => runs('sleep', seconds)).toBe(false)
})
