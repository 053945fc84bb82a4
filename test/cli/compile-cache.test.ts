import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { nobody } from '../helpers/other-users.ts'
import { makeDirectory } from '../helpers/place.ts'
import { repository } from '../helpers/programs.ts'
import { Home } from './vitrine.ts'

/** Node 22 has a compile cache of its own, with names of its own. */
const hasOwn = 'enableCompileCache' in process.getBuiltinModule('node:module')
const isRoot = process.geteuid?.() === 0

/** A copy of the package. */
class Installation {
  readonly #directory = makeDirectory()
  readonly #home = new Home()

  constructor() {
    const parts = ['package.json', 'dist', 'build/Release']
    for (const part of parts.filter((part) => existsSync(join(repository, part))))
      cpSync(join(repository, part), join(this.#directory, part), { recursive: true })
    symlinkSync(join(repository, 'node_modules'), join(this.#directory, 'node_modules'))
  }

  get directory(): string {
    return this.#directory
  }

  run(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    const argv = [join(this.#directory, 'dist/cli.cjs'), ...args]
    const { status, stdout, stderr } = spawnSync(process.execPath, argv, {
      cwd: this.#home.directory,
      env: { ...this.#home.env, ...env },
      encoding: 'utf8',
    })
    return { status, stdout, stderr }
  }

  get kept(): readonly string[] {
    const directory = join(this.#directory, '.compiled')
    return existsSync(directory) ? readdirSync(directory).map((name) => join(directory, name)) : []
  }

  /** Of the file that the command runs. */
  get keptRun(): string {
    return this.kept.find((file) => file.includes('run.cjs.run.')) ?? ''
  }
}

const command = ['run', '--', 'echo done'] as const
const done = { status: 0, stdout: 'done\n', stderr: '' }

describe('the compiled code of the command line', () => {
  it('is kept by the first start', () => {
    const installed = new Installation()
    expect(installed.run(command)).toEqual(done)
    expect(installed.kept.length).toBeGreaterThan(0)
  })

  it.skipIf(hasOwn)('is not kept by a start that refuses, which runs little of it', () => {
    const installed = new Installation()
    expect(installed.run(['run', '--cwd', '/absent', '--', 'true']).status).toBe(125)
    expect(installed.kept).toEqual([])
  })

  it.skipIf(hasOwn)('is used by the second start, which leaves it as it is', () => {
    const installed = new Installation()
    installed.run(command)
    const { ino, mtimeMs } = statSync(installed.keptRun)
    expect(installed.run(command)).toEqual(done)
    expect(statSync(installed.keptRun)).toMatchObject({ ino, mtimeMs })
  })

  it.runIf(isRoot)('is not kept by root in the installation of another user', () => {
    const installed = new Installation()
    chownSync(installed.directory, nobody.uid, nobody.gid)
    expect(installed.run(command)).toEqual(done)
    expect(installed.kept).toEqual([])
  })

  it('is not kept where nothing can be written, and the command runs', () => {
    const installed = new Installation()
    // A file in the place of the directory stops root too.
    writeFileSync(join(installed.directory, '.compiled'), '')
    chmodSync(join(installed.directory, '.compiled'), 0o444)
    expect(installed.run(command)).toEqual(done)
  })
})
