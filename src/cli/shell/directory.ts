import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { quoted } from '../../base/text.ts'
import type { Shell } from '../../internal.ts'
import { standardError } from '../run/sink.ts'

/** The directory, or its nearest existing ancestor. */
export function existingDirectory(directory: string): string {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() || dirname(directory) === directory)
    return directory
  return existingDirectory(dirname(directory))
}

/** Marks the end of the directory: a name can end in a newline. */
const endOfPath = '\n.\n'

/** Where sh's `cd` leads, for setups that do not report a line's directory. A number: sh's exit code. */
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
  // A comment in the argument also hides `pwd`: then nothing changes.
  return stdout.endsWith(endOfPath) ? stdout.slice(0, -endOfPath.length) : 0
}
