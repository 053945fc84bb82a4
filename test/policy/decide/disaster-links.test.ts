import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeDirectory, openTestShell } from '../../helpers/place.ts'

/** What is decided about a line; nothing runs. `out` leads home, `root` to /. */
async function verdictOn(command: string) {
  const parent = makeDirectory()
  const [home, cwd] = [join(parent, 'home'), join(parent, 'work')]
  for (const directory of [home, cwd, join(cwd, 'plain')]) mkdirSync(directory)
  symlinkSync(home, join(cwd, 'out'))
  symlinkSync('/', join(cwd, 'root'))
  symlinkSync('plain', join(cwd, 'in'))
  const shell = await openTestShell({ cwd, mode: 'write', env: { HOME: home } })
  return (await shell.decide({ command })).verdict
}

it.each([
  'rm -rf out/',
  'rm -rf out/.',
  'rm -rf root/',
  'rm -rf out/*',
  'rm -rf root/*',
  'rm -rf plain root/',
])('a disaster behind a link is denied: %s', async (command) => {
  expect(await verdictOn(command)).toBe('deny')
})

it.each(['rm -rf plain/', 'rm -rf in/', 'rm -rf out/sub', 'rm -rf plain/*'])(
  'another place behind a link is asked about: %s',
  async (command) => expect(await verdictOn(command)).toBe('ask'),
)
