import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { decide } from '../../src/policy/decide/decide.ts'
import { planRequest, type RequestToDecide } from '../../src/policy/decide/plan.ts'
import { cwd, home, plainFacts, presetRules, rulesOf } from './helper.ts'

/** What is decided on Windows. */
function verdict(
  work: RequestToDecide['work'],
  rules = presetRules('default'),
  mode: 'read' | 'write' = 'write',
) {
  const request = planRequest({ work, mode, cwd, home, shell: 'powershell' })
  return decide(request, rules, plainFacts(request)).verdict
}

const rows = readFileSync(new URL('powershell.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => /^(allow|ask) *\| (.*)$/.exec(line)?.slice(1) as [string, string])

describe('a line of PowerShell', () => {
  for (const [wanted, text] of rows)
    it(`${wanted}: ${text}`, () => {
      const line = text.replaceAll('↵', '\n')
      expect(verdict({ kind: 'line', line })).toBe(wanted)
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
    expect(verdict({ kind: 'line', line: 'cat x -Wait' }, rulesOf({ allow: ['cat'] }))).toBe('ask')
  })
})

describe('an argument vector on Windows', () => {
  it('is asked about, whose options no rule knows: sort /O writes', () => {
    for (const argv of [['sort', '/O', 'F'], ['ls'], ['git', 'status']] as const)
      expect(verdict({ kind: 'argv', argv })).toBe('ask')
  })
})
