import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { mounted } from '../../../helpers/mounted.ts'
import { openTestShell } from '../../../helpers/place.ts'

const at = mounted('mkfs.vfat -F 32 image')

function makeProject(): string {
  const cwd = join(at ?? '', 'project')
  mkdirSync(join(cwd, '.vscode'), { recursive: true })
  execFileSync('git', ['init', '-q'], { cwd })
  writeFileSync(join(cwd, '.envrc'), '')
  writeFileSync(join(cwd, '.vscode/settings.json'), '')
  return cwd
}

/** vfat then reads each inode that no process holds anew, under another number. */
function dropCaches(): void {
  for (let time = 0; time < 3; time++) {
    execFileSync('sync')
    writeFileSync('/proc/sys/vm/drop_caches', '3')
  }
}

const targets = ['.envrc', '.git/config', '.vscode/settings.json']

/** Appends to what is protected by its short names, once it is told to. */
const attack = `touch ready
while [ ! -e go ]; do sleep 0.1; done
for name in ENVRC~1 GIT~1/CONFIG VSCODE~1/settings.json; do echo '[changed]' >> $name; done
echo '[changed]' >> unheld`

it.skipIf(at === null)('short names of vfat lead to nothing protected, whatever left memory', async () => {
  const cwd = makeProject()
  writeFileSync(join(cwd, 'unheld'), '')
  const shell = await openTestShell({ cwd, mode: 'workspace' })
  const running = shell.execute({ command: attack, timeoutMs: 60_000 })
  while (!existsSync(join(cwd, 'ready'))) await setTimeout(50)
  dropCaches()
  expect(statSync(join(cwd, 'ENVRC~1')).ino).toBe(statSync(join(cwd, '.envrc')).ino)
  writeFileSync(join(cwd, 'go'), '')
  await running
  const changed = (name: string) => readFileSync(join(cwd, name), 'utf8').includes('[changed]')
  expect([changed('unheld'), ...targets.map(changed)]).toEqual([true, false, false, false])
})
