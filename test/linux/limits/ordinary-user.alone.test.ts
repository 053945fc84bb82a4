import { chownSync } from 'node:fs'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { endLines, Home } from '../../cli/vitrine.ts'
import { nobody, whyNot } from '../../helpers/other-users.ts'
import { endAll, makeMarker, survivors } from '../../helpers/processes.ts'
import { compileHungry, excesses } from './hungry.ts'

const asRoot = process.getuid?.() === 0
let hungry: string
let marker = makeMarker()

beforeAll(() => {
  hungry = compileHungry()
})

afterEach(async () => {
  await endAll(marker)
})

const modes = ['read', 'write'] as const

const reason = asRoot ? whyNot(nobody) : null

describe.skipIf(reason)(`the command line as an ordinary user${reason ? `: ${reason}` : ''}`, () => {
  describe.for(modes)('in %s mode', (mode) => {
    it.for(excesses)('$name: 137, and why', async ({ limit, key, value, line }) => {
      marker = makeMarker()
      const home = new Home()
      if (asRoot) chownSync(home.directory, nobody.uid, nobody.gid)
      const name = `VITRINE_LIMITS_${key.toUpperCase()}`
      const ran = await home.run(
        ['run', ...(mode === 'write' ? ['--write'] : []), '--', line(hungry, marker)],
        { cwd: '/', env: { ...home.env, [name]: String(value) }, ...(asRoot ? { uid: nobody.uid } : {}) },
      )
      expect(ran.stderr).toContain(endLines({ kind: 'limited', limit, value }))
      expect(ran.code).toBe(137)
      expect(await survivors(marker)).toEqual([])
    })
  })
})
