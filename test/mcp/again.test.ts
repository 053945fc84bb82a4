import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Home } from '../cli/vitrine.ts'
import { connect, eras } from './connect.ts'

describe.runIf(process.platform === 'linux').each(eras)(
  'a line of write mode that runs held, for a client of the %s era',
  (era) => {
    const command = 'echo once; sort -o made f'

    async function sorted(approve: string, answer?: 'y' | 'n') {
      const home = new Home()
      writeFileSync(join(home.directory, 'f'), 'b\na\n')
      const questions: string[] = []
      const elicit = (message: string) => {
        questions.push(message)
        return { action: 'accept' as const, content: { answer: answer ?? 'n' } }
      }
      const args = ['--mode', 'write', '--approve', approve, '--cwd', home.directory, '--structured']
      const { run } = await connect(args, { home, era, ...(answer && { elicit }) })
      const { structured } = await run({ command })
      return { structured, questions: questions.length, isMade: existsSync(join(home.directory, 'made')) }
    }

    it('is asked about where it was refused something, and says everything once', async () => {
      expect(await sorted('elicit', 'y')).toMatchObject({
        structured: { mode: 'write', exitCode: 0, output: 'once\n' },
        questions: 1,
        isMade: true,
      })
      expect(await sorted('elicit', 'n')).toMatchObject({
        structured: { mode: 'read', exitCode: 2 },
        questions: 1,
        isMade: false,
      })
    })

    it('runs again unasked where the client has asked, and stands where the client cannot ask', async () => {
      expect(await sorted('client')).toMatchObject({
        structured: { mode: 'write' },
        questions: 0,
        isMade: true,
      })
      expect(await sorted('elicit')).toMatchObject({
        structured: { mode: 'read' },
        questions: 0,
        isMade: false,
      })
    })
  },
)
