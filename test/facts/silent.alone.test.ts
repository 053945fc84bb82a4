import { beforeAll, describe, expect, it } from 'vitest'
import { fileProblems } from '../../src/messages/config.ts'
import { missing, runHost, type Timed } from './hang.ts'

/** What test/fixtures/facts/silent.mjs prints. */
interface Happened {
  readonly project: Timed<unknown>
  readonly user: Timed<unknown>
  readonly load: Timed<unknown>
  readonly beside: Timed<string>
  readonly longestGap: number
}

describe.skipIf(missing() !== null)(
  `a host whose own files do not answer${missing() ? ` (skipped: ${missing()})` : ''}`,
  () => {
    let happened: Happened

    beforeAll(async () => {
      happened = await runHost('silent')
    }, 60_000)

    it.for(['project', 'user'] as const)('says so of the configuration: the %s’s file', (whose) => {
      const { code, message } = happened[whose]
      expect(code).toBe('CONFIG_INVALID')
      expect(message).toContain(`${whose === 'user' ? 'hang-user' : '.vitrine.toml'}: `)
      expect(message).toContain(fileProblems.unanswered)
    })

    it('loads no configuration for a directory on it', () => {
      const { code, reason } = happened.load
      expect({ code, reason }).toEqual({ code: 'INVALID_REQUEST', reason: 'unanswered' })
    })

    it('goes on: its timers fire, and other shells open', () => {
      expect(happened.longestGap).toBeLessThan(Math.max(happened.project.ms, happened.load.ms))
      expect(happened.beside.value).toBe('beside\n')
    })
  },
)
