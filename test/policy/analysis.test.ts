import { describe, expect, it } from 'vitest'
import { decideLine, piping, presetRules } from './helper.ts'
import { readTable } from './rows.ts'

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
