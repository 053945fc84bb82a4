import { mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeDirectory, openTestShell } from '../../../helpers/place.ts'

/** A command that changes metadata of a file by its absolute path, after another directory has come to stand there. */
async function changes(mode: 'workspace' | 'write', change: string) {
  const parent = makeDirectory()
  const [cwd, flag] = [join(parent, 'work'), join(parent, 'go')]
  const make = () => {
    mkdirSync(cwd)
    writeFileSync(join(cwd, 'file'), 'x', { mode: 0o644 })
  }
  make()
  const shell = await openTestShell({ cwd, mode })
  const file = join(cwd, 'file')
  let begun = () => {}
  const started = new Promise<void>((resolve) => {
    begun = resolve
  })
  const command = `echo begun; until [ -e ${flag} ]; do sleep 0.02; done; ${change} ${file}`
  const running = shell.execute({ command }, { onOutput: () => begun() })
  await started
  renameSync(cwd, join(parent, 'moved'))
  make()
  const before = statSync(file)
  writeFileSync(flag, '')
  const { exitCode } = await running
  const { mode: bits, mtimeMs } = statSync(file)
  return { exitCode, isChanged: bits !== before.mode || mtimeMs !== before.mtimeMs }
}

describe.runIf(process.platform === 'linux')(
  'a directory that has come to stand at the place of the workspace',
  () => {
    it.for(['chmod 600', 'touch -d 2001-01-01'])('keeps its metadata: %s', async (change) => {
      expect(await changes('workspace', change)).toEqual({ exitCode: 1, isChanged: false })
      expect(await changes('write', change)).toEqual({ exitCode: 0, isChanged: true })
    })
  },
)
