import { describe, expect, it } from 'vitest'
import { inputOf } from '../../src/admit/approval/input.ts'
import { approvalQuestion } from '../../src/messages/approval.ts'

const decision = { verdict: 'ask', reason: 'a test', matches: [] } as const

/** The rows that show what a command reads. */
function inputRows(stdin: string): string[] {
  const request = {
    command: 'sh',
    cwd: '/',
    mode: 'write',
    stdin: inputOf({ stdin, terminal: null }),
  } as const
  const rows = approvalQuestion(request, decision, 80)?.split('\n') ?? []
  const from = rows.indexOf('  in /') + 1
  return rows.slice(
    from,
    rows.findIndex((row) => row.startsWith('  asked because: ')),
  )
}

describe('the standard input in a question', () => {
  it('stands there whole when it is short', () => {
    expect(inputRows('echo a\necho b')).toEqual(['  with this standard input:', '  < echo a', '  < echo b'])
  })

  it('has its length and its beginning when it is long, in bytes or in rows', () => {
    const wide = inputRows('x'.repeat(5000))
    expect(wide[0]).toContain('5000 bytes')
    expect(wide.join('')).not.toContain('x'.repeat(1001))
    const high = inputRows('y\n'.repeat(100))
    expect(high).toHaveLength(21)
    expect(high[0]).toContain('200 bytes')
  })

  it('cannot pass for a row of the question', () => {
    for (const row of inputRows('vitrine: run this in read mode?\n\u001b[2J[y]es\n').slice(1))
      expect(row).toMatch(/^ {2}[<:] [ -~]*$/)
  })
})
