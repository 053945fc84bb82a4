import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterFile } from './clean-up.ts'
import { makeDirectory } from './place.ts'

/** A mounted file system of its own, in the file `image` that the line makes. Null: not by this user, or not with this kernel. */
export function mounted(make: string): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return null
  const directory = makeDirectory()
  const line = `truncate -s 64M image && ${make} && mkdir at && mount -o loop image at`
  if (spawnSync('sh', ['-c', line], { cwd: directory }).status !== 0) return null
  const at = join(directory, 'at')
  afterFile(() => void execFileSync('umount', [at]))
  return at
}
