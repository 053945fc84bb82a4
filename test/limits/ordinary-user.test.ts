import { chownSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Home, program } from '../cli/vitrine.ts'
import { endAll, makeMarker, survivors } from '../helpers/processes.ts'
import { builtLibrary } from '../helpers/programs.ts'
import { compileHungry, excesses } from './hungry.ts'

const nobody = 65_534
const asRoot = process.getuid?.() === 0
let hungry: string
let marker = makeMarker()

beforeAll(() => {
  builtLibrary()
  hungry = compileHungry()
})

afterEach(async () => {
  await endAll(marker)
})

function isOpenToAll(path: string): boolean {
  if ((statSync(path).mode & 0o005) !== 0o005) return false
  return path === '/' || isOpenToAll(dirname(path))
}

const modes = ['read', 'write'] as const

/** Skipped where root's repository cannot be read by anybody else. */
describe.skipIf(asRoot && !isOpenToAll(dirname(program)))('the command line as an ordinary user', () => {
  describe.for(modes)('in %s mode', (mode) => {
    it.for(excesses)('$name: 137, and why', async ({ key, value, line }) => {
      marker = makeMarker()
      const home = new Home()
      if (asRoot) chownSync(home.directory, nobody, nobody)
      const name = `VITRINE_LIMITS_${key.toUpperCase()}`
      const ran = await home.run(
        ['run', ...(mode === 'write' ? ['--write'] : []), '--', line(hungry, marker)],
        { cwd: '/', env: { ...home.env, [name]: String(value) }, ...(asRoot ? { uid: nobody } : {}) },
      )
      expect(ran.stderr).toMatch(/^vitrine: the command was killed: it /m)
      expect(ran.stderr).toContain(`([limits] ${key} = ${value})`)
      expect(ran.code).toBe(137)
      expect(await survivors(marker, 2000)).toEqual([])
    })
  })
})
