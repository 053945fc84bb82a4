import { execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ended, Home } from '../cli/vitrine.ts'
import { makeDirectory } from '../helpers/place.ts'
import { repository } from '../helpers/programs.ts'
import { realAddon } from '../sandbox/hosts.ts'

const require = createRequire(import.meta.url)

/** A copy of the package, with a place for its addon. */
function copyPackage() {
  const directory = makeDirectory()
  for (const name of ['dist', 'package.json'])
    cpSync(join(repository, name), join(directory, name), { recursive: true })
  symlinkSync(join(repository, 'node_modules'), join(directory, 'node_modules'))
  const addon = join(directory, 'build/Release/vitrine.node')
  mkdirSync(dirname(addon), { recursive: true })
  return { directory, addon }
}

/** Compiles an addon of another build. */
function compileOther(to: string, number: number | undefined): void {
  const headers = require('node-api-headers').include_dir
  const said = number === undefined ? [] : [`-DNUMBER=${number}`]
  const source = join(repository, 'test/fixtures/addon/other.c')
  const options = ['-shared', '-fPIC', '-Wall', '-Wextra', '-Werror', `-I${headers}`, ...said]
  execFileSync('cc', [...options, source, '-o', to])
}

/** Runs the copy's command line. */
function run(directory: string, ...args: string[]) {
  const home = new Home()
  const child = spawn(process.execPath, [join(directory, 'dist/cli.cjs'), ...args], {
    cwd: home.directory,
    env: home.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return { home, ran: ended(child) }
}

describe('a package whose addon is', () => {
  it('its own holds commands', async () => {
    const { directory, addon } = copyPackage()
    cpSync(join(repository, 'build/Release/vitrine.node'), addon)
    const { home, ran } = run(directory, 'run', '--', 'echo held; echo x >made')
    expect(await ran).toMatchObject({ stdout: 'held\n' })
    expect(existsSync(join(home.directory, 'made'))).toBe(false)
  })

  it.for([undefined, 0, 1_000_000])(
    'one that says %s runs nothing in read mode, and says what to do',
    async (number) => {
      const { directory, addon } = copyPackage()
      compileOther(addon, number)
      const { home, ran } = run(directory, 'run', '--', 'echo ran >made; echo ran')
      const refused = await ran
      expect(refused).toMatchObject({ code: 125, signal: null, stdout: '' })
      const said = `its interface is ${number ?? 'unknown'}; ${realAddon().interfaceVersion} is needed`
      expect(refused.stderr).toContain(said)
      expect(refused.stderr).toContain('reinstall vitrine')
      expect(existsSync(join(home.directory, 'made'))).toBe(false)
      // Nothing of it is called in write mode, either, which needs none.
      expect(await run(directory, 'run', '--write', '--', 'echo written').ran).toMatchObject({
        code: 0,
        stdout: 'written\n',
      })
    },
  )
})
