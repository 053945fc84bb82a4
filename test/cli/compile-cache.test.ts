import { spawnSync } from 'node:child_process'
import { chownSync, cpSync, existsSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { nobody } from '../helpers/other-users.ts'
import { makeDirectory } from '../helpers/place.ts'
import { repository } from '../helpers/programs.ts'
import { Home } from './vitrine.ts'

/** Node 22 has a compile cache of its own, with names of its own. */
const hasOwn = 'enableCompileCache' in process.getBuiltinModule('node:module')
const isRoot = process.geteuid?.() === 0

/** A copy of the package, the cache that it keeps, and of that the file that `run` runs. */
function install() {
  const [directory, home] = [makeDirectory(), new Home()]
  const parts = ['package.json', 'dist', 'build/Release'].filter((part) => existsSync(join(repository, part)))
  for (const part of parts) cpSync(join(repository, part), join(directory, part), { recursive: true })
  symlinkSync(join(repository, 'node_modules'), join(directory, 'node_modules'))
  const run = (args: readonly string[]) => {
    const argv = [join(directory, 'dist/cli.cjs'), ...args]
    const options = { cwd: home.directory, env: home.env, encoding: 'utf8' } as const
    const { status, stdout, stderr } = spawnSync(process.execPath, argv, options)
    return { status, stdout, stderr }
  }
  const cache = join(directory, '.compiled')
  const kept = () => (existsSync(cache) ? readdirSync(cache).map((name) => join(cache, name)) : [])
  const keptRun = () => kept().find((file) => file.includes('run.cjs.run.')) ?? ''
  return { directory, run, cache, kept, keptRun }
}

const command = ['run', '--', 'echo done'] as const
const done = { status: 0, stdout: 'done\n', stderr: '' }

describe('the compiled code of the command line', () => {
  it.skipIf(hasOwn)('is not kept by a start that refuses, which runs little of it', () => {
    const installed = install()
    expect(installed.run(['run', '--cwd', '/absent', '--', 'true']).status).toBe(125)
    expect(installed.kept()).toEqual([])
  })

  it('is kept by the first start, and used by the second, which leaves it as it is', () => {
    const installed = install()
    expect(installed.run(command)).toEqual(done)
    expect(installed.kept().length).toBeGreaterThan(0)
    if (hasOwn) return
    const { ino, mtimeMs } = statSync(installed.keptRun())
    expect(installed.run(command)).toEqual(done)
    expect(statSync(installed.keptRun())).toMatchObject({ ino, mtimeMs })
  })

  it.runIf(isRoot)('is not kept by root in the installation of another user', () => {
    const installed = install()
    chownSync(installed.directory, nobody.uid, nobody.gid)
    expect(installed.run(command)).toEqual(done)
    expect(installed.kept()).toEqual([])
  })

  it('is not kept where nothing can be written, and the command runs', () => {
    const installed = install()
    // A file in the place of the directory stops root too.
    writeFileSync(installed.cache, '', { mode: 0o444 })
    expect(installed.run(command)).toEqual(done)
  })
})
