import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openShell } from '../../src/index.ts'
import type { Shell } from '../../src/shell.ts'
import { makeDirectory } from '../helpers/place.ts'

const secret = 'a secret'

/** A home directory with the user's configuration in it, and files as given. */
function makeHome(settings: string, files: Readonly<Record<string, string>>): string {
  const home = makeDirectory()
  const all = { '.config/vitrine/config.toml': `[shell]\n${settings}\n`, 'private/secret': secret, ...files }
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text)
  }
  return home
}

/** Whether commands of a shell can read the file. */
async function canRead(home: string, file: string, cwd = 'project'): Promise<boolean> {
  const env = { HOME: home, PATH: process.env['PATH'], XDG_CONFIG_HOME: join(home, '.config') }
  const shell: Shell = await openShell({ cwd: join(home, cwd), env })
  // The policy looks at the paths of a line, too: this one it cannot read.
  const path = Buffer.from(join(home, file)).toString('base64')
  const { output } = await shell.execute({ command: `cat -- "$(echo ${path} | base64 -d)"; echo " $?"` })
  await shell.close()
  expect(output).toMatch(/Permission denied|^(plain|a secret)? 0\n$/)
  return output.endsWith(' 0\n')
}

/** The files of an untrusted project may make fewer paths readable, never more. */
describe.runIf(process.platform === 'linux')('a hostile project', () => {
  it.each([
    ['in the project', 'project', './x', '../.git'],
    ['beside it', 'other', '../other/x', '../../project/.git'],
  ])('cannot call a directory %s a worktree of the one above', async (_, place, directory, back) => {
    const home = makeHome('reads = "workspace"', {
      'project/a': 'plain',
      'project/.git': `gitdir: ${directory}\n`,
      [`${place}/x/gitdir`]: `${back}\n`,
      [`${place}/x/commondir`]: '../..\n',
    })
    expect([await canRead(home, 'project/a'), await canRead(home, 'private/secret')]).toEqual([true, false])
  })
})
