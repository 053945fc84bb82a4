import { beforeAll, describe, expect, it } from 'vitest'
import { endLines } from '../cli/vitrine.ts'
import { missing, runHost, type Timed } from './hang.ts'

type Decided = Timed<{ readonly verdict: string; readonly reason: string }>
type Ran = Timed<{ readonly stdout: string; readonly exitCode: number | null; readonly outcome: string }>

/** What test/fixtures/facts/hanging.mjs prints. */
interface Happened {
  readonly slow: Decided
  readonly shortOfTime: Ran
  readonly program: Ran
  readonly besideProgram: Ran
  readonly beside: Ran
  readonly hanging: Decided
  readonly ownRules: Decided
  readonly uncovered: Ran
  readonly covered: Ran
  readonly besideCovered: Ran
  readonly directory: Ran
  readonly shell: Timed<unknown>
  readonly reading: Ran
  readonly commandLine: Timed<{ readonly code: number; readonly stderr: string }>
  readonly many: readonly Decided[]
  readonly atOnce: Decided
  readonly file: Timed<number>
  readonly after: Ran
  readonly longestGap: number
  readonly recovered: string
}

describe.skipIf(missing() !== null)(
  `a host beside a file system that does not answer${missing() ? ` (skipped: ${missing()})` : ''}`,
  () => {
    let happened: Happened

    beforeAll(async () => {
      happened = await runHost('hanging')
    }, 60_000)

    it('knows where a line leads on a file system that answers late, as any does on a busy machine', () => {
      expect(happened.slow.value).toMatchObject({ verdict: 'allow' })
    })

    it('looks no longer than the command may take', () => {
      expect(happened.shortOfTime.value).toMatchObject({ outcome: 'timed-out' })
    })

    it('is unsure about a line that names it, and says why', () => {
      const { value } = happened.hanging
      expect(value).toMatchObject({
        verdict: 'ask',
        reason: expect.stringContaining('hang-one'),
      })
    })

    it('refuses what it refuses elsewhere in that line', () => {
      expect(happened.ownRules.value).toMatchObject({ verdict: 'deny' })
    })

    it('runs another command meanwhile, and its timers fire', () => {
      expect(happened.beside.value).toMatchObject({ stdout: 'beside\n', exitCode: 0 })
      // It began before the decision had to be given up, and did not wait for that.
      expect(happened.beside.ms).toBeLessThan(happened.hanging.ms)
      // JavaScript that waits for the file system stands still as long as the call.
      expect(happened.longestGap).toBeLessThan(happened.hanging.ms)
    })

    it('starts another command while a program on it is being started, and returns from that', () => {
      expect(happened.besideProgram.value).toMatchObject({ stdout: 'beside\n', exitCode: 0 })
      expect(happened.program.value).toMatchObject({ outcome: 'timed-out' })
    })

    it('opens no shell and starts no command in a directory on it', () => {
      for (const { code, reason } of [happened.directory, happened.shell]) {
        expect({ code, reason }).toEqual({ code: 'INVALID_REQUEST', reason: 'unanswered' })
      }
    })

    it('returns from a command in a directory that it came to be mounted over, and runs others', () => {
      expect(happened.uncovered.value).toMatchObject({ outcome: 'exited', exitCode: 0 })
      expect(happened.covered.value).toMatchObject({ outcome: 'timed-out', stdout: '' })
      expect(happened.besideCovered.value).toMatchObject({ stdout: 'beside\n' })
    })

    it('returns from a command that hangs on it beyond SIGKILL', () => {
      expect(happened.reading.value).toMatchObject({ outcome: 'timed-out' })
    })

    it('ends, as a command line: nothing of what hangs keeps its process', () => {
      // Where `cat` comes as far as the file system in time, its end is not reported, and a further line says so.
      const stderr = expect.stringContaining(endLines({ kind: 'timed-out', afterMs: 300 }))
      expect(happened.commandLine.value).toMatchObject({ code: 124, stderr })
    })

    it('is unsure at once when more hang than can, and files and commands of its own are served', () => {
      for (const { value } of happened.many) {
        expect(value).toMatchObject({ verdict: 'ask' })
      }
      expect(happened.atOnce.value).toMatchObject({ verdict: 'ask' })
      expect(happened.atOnce.ms).toBeLessThan(happened.hanging.ms)
      expect(happened.file.value).toBeGreaterThan(0)
      expect(happened.after.value).toMatchObject({ stdout: 'after\n', exitCode: 0 })
    })

    it('looks again as soon as the file system is gone', () => {
      expect(happened.recovered).toBe('allow')
    })
  },
)
