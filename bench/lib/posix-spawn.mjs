// The limit of a start: posix_spawn of the same shell by a C program, which measures itself.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/**
 * Builds and starts the program, calls `use`, and ends it.
 * @template T
 * @param {(contender: () => Promise<number>) => Promise<T>} use each call runs one shell and resolves to milliseconds
 * @returns {Promise<T>}
 */
export async function withPosixSpawn(use) {
  const directory = mkdtempSync(join(tmpdir(), 'vitrine-bench-'))
  try {
    const program = join(directory, 'posix_spawn')
    execFileSync('cc', ['-O2', '-o', program, fileURLToPath(new URL('posix_spawn.c', import.meta.url))])
    return await withProgram(program, use)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** @template T @param {string} program @param {(contender: () => Promise<number>) => Promise<T>} use @returns {Promise<T>} */
async function withProgram(program, use) {
  const child = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  try {
    return await use(async () => {
      child.stdin.write('.')
      const { value, done } = await lines.next()
      if (done) throw new Error('the posix_spawn program ended early')
      return Number(value) / 1e6
    })
  } finally {
    child.stdin.end()
    await closed
  }
}
