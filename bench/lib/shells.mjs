// The library under test, with a state directory of its own.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openShell } from '../../dist/index.js'

/**
 * Opens one shell in each mode, calls `use`, and cleans up whatever comes of it.
 * @template T
 * @param {(shells: { read: import('../../dist/index.js').Shell, write: import('../../dist/index.js').Shell, directory: string }) => Promise<T>} use
 *   `directory` is a new one, removed afterwards.
 * @param {Record<string, string>} [variables] more of the environment
 * @returns {Promise<T>}
 */
export async function withShells(use, variables = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'vitrine-bench-'))
  const env = {
    ...process.env,
    ...variables,
    XDG_STATE_HOME: join(directory, 'state'),
    XDG_CONFIG_HOME: join(directory, 'config'),
  }
  const open = (/** @type {'read' | 'write'} */ mode) => openShell({ mode, cwd: directory, env })
  const [read, write] = await Promise.all([open('read'), open('write')])
  try {
    return await use({ read, write, directory })
  } finally {
    await Promise.all([read.close(), write.close()])
    rmSync(directory, { recursive: true, force: true })
  }
}
