import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Shell } from '../../internal.ts'
import { standardError } from '../run/sink.ts'

/** The directory, or the nearest one above it that exists. */
export function existingDirectory(directory: string): string {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() || dirname(directory) === directory)
    return directory
  return existingDirectory(dirname(directory))
}

/** Behind the directory: a name can end in a line feed. */
const endOfPath = '\n.\n'

/** Where nothing tells what a line leaves behind: sh reads what stands behind `cd`, and says where that leads. A number: its exit code. */
export async function changedDirectory(
  shell: Shell,
  directory: string,
  to: string,
  before: string,
): Promise<string | number> {
  const target = to === '-' ? quoted(before) : to === '' ? '~' : to
  const command = `cd ${target} >/dev/null && pwd && echo .`
  const { exitCode, stdout, stderr } = await shell.execute({ command, cwd: directory })
  await standardError.write(stderr)
  if (exitCode !== 0) return exitCode ?? 1
  // A comment in the line takes what tells the directory with it: then nothing has changed.
  return stdout.endsWith(endOfPath) ? stdout.slice(0, -endOfPath.length) : 0
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`
}
