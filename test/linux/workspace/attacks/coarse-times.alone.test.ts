import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { type Addon, loadAddon } from '../../../../src/launch/addon.ts'
import { mounted } from '../../../helpers/mounted.ts'
import { openTestShell } from '../../../helpers/place.ts'

/** With inodes of 128 bytes ext4 keeps whole seconds only. */
const at = mounted('mkfs.ext4 -q -I 128 image')

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

/** Its topmost directory has no times. */
const vfat = mounted('mkfs.vfat -F 32 image')

it.skipIf(vfat === null)('a repository made in the topmost directory of vfat is protected', async () => {
  const cwd = vfat ?? ''
  execFileSync('git', ['init', '-q'], { cwd })
  const shell = await openTestShell({ cwd, mode: 'workspace' })
  // Until what git has written is older than a tick of the file system's clock.
  await setTimeout(4500)
  for (let before = 0; before < 4; before++) await shell.execute({ command: 'true' })
  execFileSync('git', ['init', '-q', 'sub'], { cwd })
  await shell.execute({ command: 'echo "[changed]" >> sub/.git/config' })
  expect(readFileSync(join(cwd, 'sub/.git/config'), 'utf8')).not.toContain('changed')
})

/** The topmost directory has time 0, as on vfat, which not every kernel has. */
const timeless = mounted('mkfs.ext4 -q image && debugfs -w -R "sif <2> ctime 19700101000000" image')

it.skipIf(timeless === null)('a directory without times never counts as unchanged', () => {
  const addon = loadAddon<Addon>()
  if ('missing' in addon) throw new Error(addon.missing)
  const states = (path: string) => addon.unchanged(addon.snapshot([], [path]))
  expect(statSync(timeless ?? '').ctimeMs).toBe(0)
  expect([states('/etc'), states(timeless ?? '')]).toEqual([true, false])
})
