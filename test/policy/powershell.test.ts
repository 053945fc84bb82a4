import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { RequestToDecide } from '../../src/policy/plan.ts'
import { decideWork, presetRules, rulesOf } from './helper.ts'

/** What is decided on Windows. */
function verdict(
  work: RequestToDecide['work'],
  rules = presetRules('default'),
  mode: 'read' | 'write' = 'write',
) {
  return decideWork(work, rules, mode, { shell: 'powershell' }).verdict
}

/** The rows of preset default, and those of analysis. */
const [rows = [], analysis = []] = readFileSync(new URL('powershell.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n[analysis read]\n')
  .map((part) => part.split('\n').map((line) => line.split(/ *\| (.*)/) as [wanted: string, line: string]))

describe('a line of PowerShell', () => {
  it.each(rows)('%s: %s', (wanted, text) => {
    expect(verdict({ kind: 'line', line: text.replaceAll('↵', '\n') })).toBe(wanted)
  })

  it('runs in read mode, which holds it, unless rules of yours deny something', () => {
    const line = 'Remove-Item x'
    expect(verdict({ kind: 'line', line }, presetRules('default'), 'read')).toBe('allow')
    expect(verdict({ kind: 'line', line }, rulesOf({ deny: ['Remove-Item'] }), 'read')).toBe('deny')
  })

  it('is denied by a rule about its program and by the deny list, also where it is unsure', () => {
    for (const line of ['git push', 'git push origin main', 'git status; git push', 'git push $x'])
      expect(verdict({ kind: 'line', line }, rulesOf({ deny: ['git push'] })), line).toBe('deny')
    expect(verdict({ kind: 'line', line: 'vitrine config trust' }, presetRules('open'))).toBe('deny')
    expect(verdict({ kind: 'line', line: 'npm test' }, rulesOf({ allow: ['npm test'] }))).toBe('ask')
  })

  it('is denied by preset analysis, and by a rule of yours about a cmdlet', () => {
    expect(verdict({ kind: 'line', line: 'git status' }, presetRules('analysis'))).toBe('deny')
    expect(verdict({ kind: 'line', line: 'cat x' }, rulesOf({ deny: ['Get-Content'] }))).toBe('deny')
  })

  it('is denied by a rule about the alias that it has in place of a cmdlet', () => {
    for (const mode of ['read', 'write'] as const) {
      const verdicts = ['cat x', 'ls | CAT', 'type x', 'Get-Content x'].map((line) =>
        verdict({ kind: 'line', line }, rulesOf({ deny: ['cat'] }), mode),
      )
      expect(verdicts).toEqual(['deny', 'deny', 'allow', 'allow'])
    }
    expect(verdict({ kind: 'line', line: 'cat NUL' }, rulesOf({ allow: ['cat'] }))).toBe('ask')
  })
})

describe('a line of PowerShell under preset analysis', () => {
  const decided = (line: string, pipes = false) => {
    const there = { cwd: 'C:\\Users\\a\\project', home: '', shell: 'powershell' } as const
    return decideWork({ kind: 'line', line }, rulesOf({ preset: 'analysis', pipes }), 'read', there).verdict
  }

  it.each(analysis)('%s: %s', (wanted, line) => {
    expect(decided(line)).toBe(wanted)
  })

  it('goes through a pipe where the configuration allows pipes', () => {
    expect(decided('Get-ChildItem src -Recurse | Select-Object -First 5', true)).toBe('allow')
  })
})

describe('an argument vector on Windows', () => {
  it('is asked about, whose options no rule knows: sort /O writes', () => {
    for (const argv of [['sort', '/O', 'F'], ['ls'], ['git', 'status']] as const)
      expect(verdict({ kind: 'argv', argv })).toBe('ask')
  })
})
