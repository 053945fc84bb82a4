import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { thisHost } from '../../../../src/host/host.ts'
import { openShellOn } from '../../../../src/shell.ts'
import { afterFile } from '../../../helpers/clean-up.ts'
import { makeDirectory } from '../../../helpers/place.ts'

/** A directory that also shows at another path, as with a bind mount, or where the file system folds case. */
function shownTwice(): readonly [string, string] | null {
  const [cwd, other] = [makeDirectory(), makeDirectory()]
  if (process.platform !== 'linux' || spawnSync('mount', ['--bind', cwd, other]).status !== 0) return null
  afterFile(() => void execFileSync('umount', [other]))
  return [cwd, other]
}

const shown = shownTwice()

it.skipIf(shown === null)('own files given by another path of the workspace are protected', async () => {
  const [cwd, other] = shown ?? ['', '']
  const config = join(other, 'vitrine.toml')
  writeFileSync(
    config,
    `[audit]\npath = ${JSON.stringify(join(other, 'audit'))}\n[workspace]\nprotected = []\n`,
  )
  const env = { ...process.env, XDG_STATE_HOME: makeDirectory(), XDG_CONFIG_HOME: makeDirectory() }
  const shell = await openShellOn(thisHost(), { cwd, config, mode: 'workspace', env })
  await shell.execute({ command: 'true' })
  const line = 'echo x > new; echo "# more" >> vitrine.toml; mv audit moved; : > audit.1'
  await shell.execute({ command: line }).finally(() => shell.close())
  expect(readFileSync(config, 'utf8')).not.toContain('# more')
  expect([existsSync(join(cwd, 'audit')), existsSync(join(cwd, 'new'))]).toEqual([true, true])
  expect(readdirSync(cwd)).not.toContain('audit.1')
})
