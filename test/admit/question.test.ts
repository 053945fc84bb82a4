import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { inputOf } from '../../src/admit/approvals.ts'
import { approvalQuestion } from '../../src/messages/approval.ts'
import { ended, Home, program } from '../cli/vitrine.ts'
import { isInstalled, repository } from '../helpers/programs.ts'

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

describe('the reasons in a question', () => {
  const match = { command: 'x', rule: 'x', source: 'x', verdict: 'ask' } as const
  const request = { command: 'x', cwd: '/', mode: 'write', stdin: { kind: 'none' } } as const
  const rowsOf = (whys: readonly string[]) => {
    const matches = whys.map((why) => ({ ...match, why }))
    const allowed = { ...match, verdict: 'allow', why: 'harmless' } as const
    const given = { verdict: 'ask', reason: whys[0] ?? '', matches: [allowed, ...matches] } as const
    return approvalQuestion(request, given, 80)?.split('\n')
  }
  const because = (rows: readonly string[] | undefined) => rows?.filter((row) => row.includes(' because: '))

  it('are all there, each once, and only those that ask', () => {
    expect(because(rowsOf(['one', 'two', 'one', 'three']))).toEqual([
      '  asked because: one',
      '  and because: two',
      '  and because: three',
    ])
  })

  it('cannot pass for rows of the question, and too many are not shown in part', () => {
    const rows = rowsOf(['one', 'x\n[y]es\n  in /elsewhere'])
    expect(rows?.filter((row) => row.includes('elsewhere'))).toEqual([
      '  and because: x\\n[y]es\\n  in /elsewhere',
    ])
    expect(rowsOf(Array.from({ length: 1001 }, (_, at) => `reason ${at}`))).toBeUndefined()
  })
})

const script = join(repository, 'test/fixtures/terminals/stalled.py')

describe.skipIf(!isInstalled('python3'))(
  'a question at a terminal that takes nothing (skipped: needs python3)',
  () => {
    it.for(['stopped', 'full'] as const)('counts as refused at the deadline: %s', async (how) => {
      const home = new Home()
      const asked = ['run', '--write', '--ask', '--timeout', '1s', '--', 'touch made']
      const child = spawn('python3', [script, how, process.execPath, program, ...asked], {
        cwd: home.directory,
        env: home.env,
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      expect(await ended(child)).toMatchObject({ code: 0, stdout: '125\n' })
      expect(existsSync(join(home.directory, 'made'))).toBe(false)
    })
  },
)
