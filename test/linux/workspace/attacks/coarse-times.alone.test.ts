import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { afterFile } from '../../../helpers/clean-up.ts'
import { makeDirectory, openTestShell } from '../../../helpers/place.ts'

/** With inodes of 128 bytes ext4 keeps whole seconds only. */
const mountExt4 = 'truncate -s 32M image && mkfs.ext4 -q -I 128 image && mkdir at && mount -o loop image at'

function mounted(): string | null {
  const directory = makeDirectory()
  if (spawnSync('sh', ['-c', mountExt4], { cwd: directory }).status !== 0) return null
  const at = join(directory, 'at')
  afterFile(() => void execFileSync('umount', [at]))
  return at
}

const at = process.platform === 'linux' && process.getuid?.() === 0 ? mounted() : null

describe.skipIf(at === null)('on a file system whose times are whole seconds', () => {
  it.each([1, 2, 3, 4, 5])(
    'a repository made within the second of the last command is protected (try %d)',
    async (number) => {
      const cwd = join(at ?? '', `project-${number}`)
      mkdirSync(cwd)
      execFileSync('git', ['init', '-q'], { cwd })
      const shell = await openTestShell({ cwd, mode: 'workspace' })
      for (let before = 0; before < 4; before++) await shell.execute({ command: 'true' })
      execFileSync('git', ['init', '-q', 'sub'], { cwd })
      await shell.execute({ command: 'echo "[changed]" >> sub/.git/config' })
      expect(readFileSync(join(cwd, 'sub/.git/config'), 'utf8')).not.toContain('changed')
    },
  )
})
