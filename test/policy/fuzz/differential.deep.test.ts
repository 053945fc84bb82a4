import { afterAll, describe, expect, it } from 'vitest'
import { decideLine, presetRules } from '../helper.ts'
import { Random } from './random.ts'
import { hardLines, randomScript } from './scripts.ts'
import { type Effect, findShells, Playground } from './shells.ts'

const SEED = Number(process.env['VITRINE_FUZZ_SEED'] ?? 20_240_613)
const COUNT = Number(process.env['VITRINE_FUZZ_COUNT'] ?? 20_000)
const { present, missing } = findShells()

const random = new Random(SEED)
const scripts = [
  ...hardLines,
  ...Array.from({ length: COUNT - hardLines.length }, () => randomScript(random)),
]

function isAllowed(script: string): boolean {
  return (['default', 'analysis'] as const).some(
    (preset) => decideLine(script, presetRules(preset), 'write').verdict === 'allow',
  )
}

describe(`what shells do, against the verdict (seed ${SEED})`, () => {
  const playground = new Playground()
  const allowed = scripts.filter(isAllowed)
  const others = scripts.filter((script) => !isAllowed(script))
  afterAll(() => playground.remove())

  it('allows enough of the scripts for their run to prove something', () => {
    expect(allowed.length).toBeGreaterThan(COUNT / 10)
  })

  for (const shell of present) {
    it(`${shell.name} runs no forbidden program in allowed scripts, of ${COUNT}`, {
      timeout: 900_000,
    }, async () => {
      const missed = await playground.run(shell, allowed, true)
      expect(missed.map((effect) => described(effect, allowed))).toEqual([])
      // The others show that the recorders record: many of them do run a forbidden program.
      const harmful = new Set((await playground.run(shell, others, false)).map(({ script }) => script))
      expect(harmful.size).toBeGreaterThan(COUNT / 10)
    })
  }

  for (const name of missing) it.skip(`${name} is not installed on this machine`, () => undefined)
})

function described({ script, shell, what }: Effect, of: readonly string[]): string {
  return `${shell}: ${JSON.stringify(of[script])}: ${what}`
}
