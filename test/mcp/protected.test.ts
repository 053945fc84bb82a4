import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { questionText } from '../../src/mcp/questions.ts'
import { explainChange } from '../../src/messages/policy.ts'
import { Home } from '../cli/vitrine.ts'
import { type ConnectOptions, connect, eras } from './connect.ts'

interface Setup extends Pick<ConnectOptions, 'era'> {
  readonly approve?: string
  /** Answers each question; none: the client cannot be asked. */
  readonly answer?: ((message: string) => string) | undefined
}

/** A server of workspace mode on a project, and the questions that it has asked. */
async function serve({ era, approve = 'elicit', answer }: Setup) {
  const home = new Home()
  const toml = '[workspace]\non_protected = "ask"\n'
  const project = join(home.directory, 'project')
  mkdirSync(join(project, '.claude'), { recursive: true })
  writeFileSync(join(project, '.claude/settings.json'), 'before')
  const questions: string[] = []
  const elicit = (message: string) => {
    questions.push(message)
    return { action: 'accept' as const, content: { answer: answer?.(message) ?? 'n' } }
  }
  const args = ['--mode', 'workspace', '--approve', approve, '--cwd', project, '--structured']
  const server = await connect(args, { home, toml, ...(era && { era }), ...(answer && { elicit }) })
  const text = (path: string) =>
    existsSync(join(project, path)) ? readFileSync(join(project, path), 'utf8') : undefined
  return { ...server, project, questions, text }
}

const change = 'echo changed > .claude/settings.json'

describe.runIf(process.platform === 'linux').each(eras)(
  '[workspace] on_protected = "ask" with elicitation, a client of the %s era',
  (era) => {
    it('y lets the running command make the change, and its one result is the answer', async () => {
      const { run, project, questions, text } = await serve({ era, answer: () => 'y' })
      const command = `echo started >> log; ${change}; cat log`
      expect(await run({ command })).toMatchObject({
        isError: false,
        text: expect.stringMatching(/^started\n\[look before .*settings\.json \(Claude Code\)\]$/),
        structured: { exitCode: 0, denials: [] },
      })
      expect(text('.claude/settings.json')).toBe('changed\n')
      const path = join(project, '.claude')
      const request = { command, cwd: project, mode: 'workspace', change: path } as const
      expect(questions).toEqual([questionText(request, [explainChange(path)])])
    })

    it('n refuses the change, and the command goes on', async () => {
      const { run, text } = await serve({ era, answer: () => 'n' })
      const answer = await run({ command: `${change}; echo after` })
      expect(answer).toMatchObject({ isError: false, structured: { exitCode: 0 } })
      expect(answer.text).toContain('after')
      expect(answer.structured?.['denials']).toMatchObject([{ protected: true }])
      expect(text('.claude/settings.json')).toBe('before')
    })

    it('each answer counts for its own path, in a list as well', async () => {
      const answer = (message: string) => (message.includes('/.envrc') ? 'y' : 'n')
      const { run, questions, text } = await serve({ era, answer })
      await run({ command: 'echo x > .envrc', next: [`${change}; true`, 'echo x > .mcp.json; true'] })
      expect(questions).toHaveLength(3)
      const texts = ['.envrc', '.claude/settings.json', '.mcp.json'].map(text)
      expect(texts).toEqual(['x\n', 'before', undefined])
    })

    it('after eight questions in a call the rest is refused without one', async () => {
      const { run, questions, text } = await serve({ era, answer: () => 'y' })
      const paths =
        '.envrc .mcp.json .exrc .nvimrc .nvim.lua mise.toml .mise.toml opencode.json .vitrine.toml'
      const made = await run({ command: `for path in ${paths}; do echo x > $path; done; true` })
      expect(made).toMatchObject({ isError: false })
      expect(questions).toHaveLength(8)
      expect(paths.split(' ').filter((path) => text(path) === undefined)).toEqual(['.vitrine.toml'])
    })

    it('the time limit of the command ends a question that has no answer', async () => {
      const { run, text } = await serve({ era, answer: () => 'y' })
      const slow = await serve({
        era,
        answer: () => {
          // This client answers nothing meanwhile.
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500)
          return 'y'
        },
      })
      const late = await slow.run({ command: `${change}; sleep 60`, timeout_ms: 500 })
      expect(late.structured).toMatchObject({ timedOut: true })
      expect(slow.text('.claude/settings.json')).toBe('before')
      await run({ command: change })
      expect(text('.claude/settings.json')).toBe('changed\n')
    })

    it('a client that cannot ask gets the refusal at once', async () => {
      const { run, text } = await serve({ era })
      expect((await run({ command: change })).structured).toMatchObject({
        timedOut: false,
        denials: [{ protected: true }],
      })
      expect(text('.claude/settings.json')).toBe('before')
    })
  },
)

describe.runIf(process.platform === 'linux')('[workspace] on_protected = "ask" without elicitation', () => {
  it.each(['client', 'none'])('--approve %s refuses the change', async (approve) => {
    const { run, questions, text } = await serve({ approve, answer: () => 'y' })
    expect((await run({ command: change })).structured).toMatchObject({ denials: [{ protected: true }] })
    expect([questions, text('.claude/settings.json')]).toEqual([[], 'before'])
  })
})
