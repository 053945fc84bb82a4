import { describe, expect, it } from 'vitest'
import type { Mode } from '../../../src/base/types.ts'
import type { PolicySettings } from '../../../src/policy/ruleset.ts'
import { decideLine, presetRules, rulesOf } from '../helper.ts'

const verdict = (line: string, settings: Partial<PolicySettings>, mode: Mode = 'write') =>
  decideLine(line, rulesOf(settings), mode).verdict

describe('a rule that allows a program', () => {
  it.each(['/usr/bin/tool', './tool', '../bin/tool', 'bin/tool'])(
    'by the path %s allows it by that path alone',
    (path) => {
      expect(verdict(`${path} x`, { allow: [path] })).toBe('allow')
      for (const other of [
        `/tmp/evil${path.startsWith('/') ? path : `/${path}`}`,
        'tool',
        `${path}2`,
        `/${path}`,
      ])
        expect(verdict(`${other} x`, { allow: [path] }), other).toBe('ask')
    },
  )

  it('by its name allows it in the directories of the system, and no other program of that name', () => {
    const settings = { allow: ['tool'] }
    for (const line of ['tool x', '/usr/bin/tool x', '/bin/tool x'])
      expect(verdict(line, settings), line).toBe('allow')
    for (const line of [
      './tool x',
      'bin/tool x',
      '/tmp/tool x',
      '/home/me/bin/tool x',
      '/usr/bin/../../tmp/tool',
    ])
      expect(verdict(line, settings), line).toBe('ask')
  })
})

describe('a rule that denies an option', () => {
  it.each(['-f', '-rf', '-fr', '-vrf', '-xvzfq'])('sees it in %s', (option) => {
    expect(verdict(`tool ${option} x`, { deny: ['tool -f'] })).toBe('deny')
  })

  it('sees several letters in any order', () => {
    for (const option of ['-rf', '-fr', '-fvr'])
      expect(verdict(`tool ${option}`, { deny: ['tool -rf'] })).toBe('deny')
    for (const option of ['-r', '-f', '-x'])
      expect(verdict(`tool ${option}`, { deny: ['tool -rf'] })).not.toBe('deny')
  })

  it.each(['--force', '--force=yes', '--forc', '--fo'])('sees %s, which means it', (option) => {
    expect(verdict(`tool ${option} x`, { deny: ['tool --force'] })).toBe('deny')
  })
})

describe('a path that could not be looked up in time', () => {
  const facts = { unanswered: '/mnt/silent/x' }

  it('makes the line one to ask about', () => {
    const { verdict, matches } = decideLine('cat /mnt/silent/x', presetRules('default'), 'write', facts)
    expect(verdict).toBe('ask')
    expect(matches.filter(({ rule }) => rule === 'unsure: unanswered')).toHaveLength(1)
  })

  it('makes it one to deny where only analysis is allowed', () => {
    expect(decideLine('cat /mnt/silent/x', presetRules('analysis'), 'write', facts).verdict).toBe('deny')
  })
})
