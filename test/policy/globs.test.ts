import { describe, expect, it } from 'vitest'
import { couldMatch } from '../../src/policy/paths.ts'

describe('a pattern with stars', () => {
  const matching = [
    ['*', ''],
    ['*', 'a'],
    ['**a', 'a'],
    ['a*', 'a'],
    ['*a*b*', 'xaxbx'],
    ['a*ab', 'aab'],
    ['*ab*ab', 'abab'],
    ['?*?', 'ab'],
    ['*a1*', 'ba1'],
    ['\\**', '*x'],
    ['?', 'é'],
    ['[a', 'b'],
  ] as const
  it.each(matching)('%s matches %s', (pattern, name) => expect(couldMatch(pattern, name)).toBe(true))

  const other = [
    ['a*', 'ba'],
    ['*ab*ab', 'ab'],
    ['*ab*b', 'ab'],
    ['?*?', 'a'],
    ['\\*', 'a'],
    ['*a*', ''],
    ['*.*', 'ab'],
  ] as const
  it.each(other)('%s does not match %s', (pattern, name) => expect(couldMatch(pattern, name)).toBe(false))

  it('takes a short time, whatever the name is', () => {
    const started = process.cpuUsage()
    for (const stars of [4, 6, 50, 100, 1000]) couldMatch(`${'*a'.repeat(stars)}*b`, 'a'.repeat(255))
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(400)
  })
})
