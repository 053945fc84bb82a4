import { describe, expect, it } from 'vitest'
import { mayBeDenied } from '../../src/admit/admission.ts'
import { decideLine, piping, presetRules } from './helper.ts'
import { readCorpus, readTable } from './rows.ts'

const rows = readTable()

describe('the table of verdicts', () => {
  it('has at least 500 rows, of every preset, mode and verdict', () => {
    expect(rows.length).toBeGreaterThanOrEqual(500)
    expect(new Set(rows.map(({ preset }) => preset))).toEqual(new Set(['open', 'default', 'analysis']))
    expect(new Set(rows.map(({ mode, verdict }) => `${mode} ${verdict}`)).size).toBe(6)
  })

  for (const { place, command, preset, mode, verdict } of rows)
    it(`${place} ${preset} ${mode} ${verdict}: ${JSON.stringify(command)}`, () => {
      const decision = decideLine(command, presetRules(preset), mode)
      expect(decision.held ? 'held' : decision.verdict, decision.reason).toBe(verdict)
      expect(decision.reason).not.toBe('')
    })
})

describe('a line that write mode denies', () => {
  const denied = rows.filter(
    ({ preset, mode, verdict }) => preset === 'default' && mode === 'write' && verdict === 'deny',
  )

  it.each(denied)('is read before it runs: $command', ({ command }) => {
    expect(mayBeDenied(command, [])).toBe(true)
  })
})

describe('ordinary commands that change nothing', () => {
  const corpus = readCorpus()

  it('run held in write mode, but for two', () => {
    const asked = corpus.filter((line) => decideLine(line, presetRules('default'), 'write').held !== true)
    expect(corpus.length).toBeGreaterThanOrEqual(195)
    expect(asked).toEqual(['export FOO=bar && echo $FOO', 'i=0; echo $((i + 1))'])
  })

  it('are never asked about in read mode', () => {
    const asked = corpus.filter(
      (line) => decideLine(line, presetRules('default'), 'read').verdict !== 'allow',
    )
    expect(asked).toEqual([])
  })
})

const bothModes = ['read', 'write'] as const

describe('[policy] pipes in preset analysis', () => {
  it.for([
    'ls | wc -l',
    'git log --oneline 2>/dev/null | head -5',
    'grep -rn foo src 2>&1 | sort | uniq -c',
    'find . -name x | xargs grep foo',
    'ls >/dev/null',
  ])('lets through: %s', (line) => {
    for (const mode of bothModes)
      expect(decideLine(line, piping, mode)).toMatchObject({
        verdict: 'allow',
        ...(mode === 'write' && { held: true }),
      })
    for (const mode of bothModes) expect(decideLine(line, presetRules('analysis'), mode).verdict).toBe('deny')
  })

  it.for([
    'ls | sh',
    'ls | tee F',
    'ls | xargs rm',
    'ls | cat > F',
    'ls 2> F',
    'cat < f | wc',
    'ls |& wc',
    'ls | wc; pwd',
    'ls | wc && pwd',
    'ls | wc &',
    'ls | (wc)',
    'ls | { wc; } 2>/dev/null',
    'echo $(ls | wc)',
    'cat <<<a | wc',
    'cat /etc/passwd | wc',
    'ls 2>/dev/nul',
  ])('refuses as before: %s', (line) => {
    for (const mode of bothModes) expect(decideLine(line, piping, mode).verdict).toBe('deny')
  })

  it('lets nothing else of the table through', () => {
    for (const { preset, mode, command, verdict } of readTable()) {
      if (preset !== 'analysis' || /\||\/dev\/null|2>&1/.test(command)) continue
      const decided = decideLine(command, piping, mode)
      expect(decided.held ? 'held' : decided.verdict, command).toBe(verdict)
    }
  })
})
