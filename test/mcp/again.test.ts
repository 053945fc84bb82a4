import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Home } from '../cli/vitrine.ts'
import { connect, type Era, eras } from './connect.ts'

interface Setup {
  readonly era?: Era
  readonly approve?: string
  readonly onRefusal?: 'tell' | 'ask'
  /** Answers each question; none: the client cannot be asked. */
  readonly answer?: 'y' | 'n'
}

/** A server of workspace mode on a project, a file outside, and the number of questions that it has asked. */
async function serve({ era = 'legacy', approve = 'elicit', onRefusal = 'ask', answer }: Setup) {
  const home = new Home()
  home.configure(`[workspace]\non_refusal = "${onRefusal}"\n`)
  const project = join(home.directory, 'project')
  const outside = join(home.directory, 'outside')
  mkdirSync(project)
  writeFileSync(outside, '')
  const questions: string[] = []
  const elicit = (message: string) => {
    questions.push(message)
    return { action: 'accept' as const, content: { answer: answer ?? 'n' } }
  }
  const args = ['--mode', 'workspace', '--approve', approve, '--cwd', project, '--structured']
  const server = await connect(args, { home, era, ...(answer && { elicit }) })
  const look = () => ({
    outside: readFileSync(outside, 'utf8'),
    runs: readFileSync(join(project, 'runs'), 'utf8'),
    questions: questions.length,
  })
  return { ...server, command: `echo run >> runs; echo changed >> ${outside}`, look }
}

describe.runIf(process.platform === 'linux').each(eras)(
  '[workspace] on_refusal = "ask" with elicitation, a client of the %s era',
  (era) => {
    it('y runs the refused command once more, in write mode', async () => {
      const { run, command, look } = await serve({ era, answer: 'y' })
      const answer = await run({ command })
      expect(answer).toMatchObject({ isError: false, structured: { exitCode: 0, mode: 'write' } })
      expect(look()).toEqual({ outside: 'changed\n', runs: 'run\nrun\n', questions: 1 })
    })

    it('n leaves the refused run as the answer', async () => {
      const { run, command, look } = await serve({ era, answer: 'n' })
      const { structured } = await run({ command })
      expect(structured).toMatchObject({ mode: 'workspace', denials: [{ operation: 'write' }] })
      expect(look()).toEqual({ outside: '', runs: 'run\n', questions: 1 })
    })

    it('asks about one command of a list, and goes on after a yes', async () => {
      const { run, command, look } = await serve({ era, answer: 'y' })
      const answer = await run({ command: 'echo first >> runs', next: [command, 'echo last >> runs'] })
      expect(answer.isError).toBe(false)
      expect(look()).toEqual({ outside: 'changed\n', runs: 'first\nrun\nrun\nlast\n', questions: 1 })
    })

    it('a client that cannot ask gets the refused run', async () => {
      const { run, command, look } = await serve({ era })
      expect((await run({ command })).structured).toMatchObject({ mode: 'workspace' })
      expect(look()).toEqual({ outside: '', runs: 'run\n', questions: 0 })
    })
  },
)

describe.runIf(process.platform === 'linux')('a refused command of an MCP server is not asked about', () => {
  it.each([
    ['client', 'ask'],
    ['none', 'ask'],
    ['elicit', 'tell'],
  ] as const)('with --approve %s and on_refusal = "%s"', async (approve, onRefusal) => {
    const { run, command, look } = await serve({ approve, onRefusal, answer: 'y' })
    expect((await run({ command })).structured).toMatchObject({ mode: 'workspace' })
    expect(look()).toEqual({ outside: '', runs: 'run\n', questions: 0 })
  })
})

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
