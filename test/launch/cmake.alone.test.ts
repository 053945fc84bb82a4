import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { copyForOthers } from '../helpers/other-users.ts'
import { makeDirectory } from '../helpers/place.ts'
import { isInstalled, repository } from '../helpers/programs.ts'

const reason = isInstalled('cmake') ? '' : ' (skipped: cmake is not installed)'

describe.skipIf(reason)(`the addon as cmake-js builds it${reason}`, () => {
  let copy = ''

  beforeAll(() => {
    const out = makeDirectory()
    const program = join(repository, 'node_modules/cmake-js/bin/cmake-js')
    const built = spawnSync(process.execPath, [program, 'build', '--out', out], {
      cwd: repository,
      encoding: 'utf8',
    })
    expect(built, built.stderr).toMatchObject({ status: 0 })
    copy = copyForOthers()
    copyFileSync(join(out, 'Release/vitrine.node'), join(copy, 'build/Release/vitrine.node'))
  }, 600_000)
  afterAll(() => rmSync(copy, { recursive: true, force: true }))

  it('starts a command, and holds it in read mode', () => {
    const directory = makeDirectory()
    const argv = [join(copy, 'dist/cli.cjs'), 'run', '--', 'echo seen; echo x > made']
    const env = { ...process.env, HOME: directory, XDG_CONFIG_HOME: directory, XDG_STATE_HOME: directory }
    const ran = spawnSync(process.execPath, argv, { cwd: directory, env, encoding: 'utf8' })
    expect(ran.stdout).toBe('seen\n')
    expect(ran.stderr).toContain(join(directory, 'made'))
    expect(ran.status).not.toBe(0)
    expect(existsSync(join(directory, 'made'))).toBe(false)
  })
})
