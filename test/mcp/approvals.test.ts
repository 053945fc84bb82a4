import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Home } from '../cli/vitrine.ts'
import { answering, type ConnectOptions, connect, eras, madeIn } from './connect.ts'

interface Setup extends Pick<ConnectOptions, 'era' | 'elicit' | 'toml'> {
  readonly approve?: 'client' | 'elicit' | 'none'
  readonly mode?: 'read' | 'write'
}

/** A server, and what its commands have made: the policy asks about `touch`, and not about `ls`. */
async function serve({ approve = 'elicit', mode = 'write', ...options }: Setup) {
  const server = await connect(['--mode', mode, '--approve', approve], options)
  await server.run({ command: 'ls' })
  return { ...server, made: () => madeIn(server.home.directory) }
}

describe.each(eras)('--approve elicit, a client of the %s era', (era) => {
  it('y runs the command once, and the next is asked about again', async () => {
    const { questions, elicit } = answering('y', 'n')
    const { run, made } = await serve({ era, elicit })
    expect(await run({ command: 'touch a' })).toMatchObject({ text: '(no output)', isError: false })
    expect(await run({ command: 'touch b' })).toMatchObject({ isError: true })
    expect(made()).toEqual(['a'])
    expect(questions).toHaveLength(2)
    expect(questions[0]?.split('\n')[1]).toBe('  touch a')
  })

  it('a holds for every command of the session, s for this one', async () => {
    const all = answering('a')
    const first = await serve({ era, elicit: all.elicit })
    for (const command of ['touch a', 'touch b']) await first.run({ command })
    expect(first.made()).toEqual(['a', 'b'])
    expect(all.questions).toHaveLength(1)
    const same = answering('s', 'n')
    const second = await serve({ era, elicit: same.elicit })
    for (const command of ['touch a', 'touch a', 'touch b']) await second.run({ command })
    expect(second.made()).toEqual(['a'])
    expect(same.questions).toHaveLength(2)
  })

  it('anything but an offered yes is told as no, a closed question as no answer', async () => {
    const said = /^NOT_APPROVED: The user said no\./
    const responses = [
      [{ action: 'accept', content: { answer: 'n' } }, said],
      [{ action: 'decline' }, said],
      [{ action: 'accept', content: { answer: 'Y' } }, said],
      [{ action: 'accept', content: { answer: '__proto__' } }, said],
      [{ action: 'accept', content: {} }, said],
      [{ action: 'cancel' }, /^NOT_APPROVED: (?!.*said no).*without an answer/],
    ] as const
    const left = [...responses]
    const { run, made } = await serve({ era, elicit: () => left.shift()?.[0] ?? { action: 'accept' } })
    for (const [, text] of responses)
      expect(await run({ command: 'touch a' })).toMatchObject({
        isError: true,
        text: expect.stringMatching(text),
      })
    expect([left, made()]).toEqual([[], []])
  })

  it('a client that cannot ask gets a denial that says so', async () => {
    const { run, made } = await serve({ era })
    const answer = await run({ command: 'touch a' })
    const reason = /\(([^\n]*?)\), and/.exec(answer.text)?.[1] ?? ''
    expect(answer).toMatchObject({
      isError: true,
      text: expect.stringContaining(`needs approval (${reason}), and this client cannot ask`),
    })
    expect(made()).toEqual([])
    expect(await run({ command: 'echo x' })).toMatchObject({ text: 'x\n', isError: false })
  })

  it('two questions at once each get their own answer', async () => {
    const elicit = (message: string) => ({
      action: 'accept' as const,
      content: { answer: message.includes('touch yes') ? 'y' : 'n' },
    })
    const { run, made } = await serve({ era, elicit })
    const answers = await Promise.all([run({ command: 'touch yes' }), run({ command: 'touch no' })])
    expect(answers.map(({ isError }) => isError)).toEqual([false, true])
    expect(made()).toEqual(['yes'])
  })

  it('what the policy denies is not asked about', async () => {
    const { questions, elicit } = answering('y')
    const { run, made } = await serve({ era, elicit, toml: '[policy]\ndeny = ["touch"]\n' })
    const answer = await run({ command: 'touch a' })
    expect(answer).toMatchObject({ isError: true })
    expect(answer.text).toMatch(/^DENIED: /)
    expect(questions).toEqual([])
    expect(made()).toEqual([])
  })
})

describe('other approvals', () => {
  it('--approve client: the client has asked, so it runs', async () => {
    const { run, made } = await serve({ approve: 'client', toml: '[policy]\nunattended = "deny"\n' })
    expect(await run({ command: 'touch a' })).toMatchObject({ isError: false })
    expect(made()).toEqual(['a'])
  })

  it('--approve client says nothing about read mode, whose tool clients run unasked', async () => {
    // What the line runs is not to be seen, and there is a rule that forbids something: the policy asks.
    const toml = '[policy]\ndeny = ["rm"]\nunattended = "deny"\n'
    const { run } = await serve({ approve: 'client', mode: 'read', toml })
    const answer = await run({ command: 'a=echo; $a x' })
    expect(answer).toMatchObject({ isError: true })
    expect(answer.text).toMatch(/^NOT_APPROVED: /)
  })

  it.each([
    ['allow', ['a']],
    ['deny', []],
  ])('--approve none: [policy] unattended = "%s" decides', async (unattended, made) => {
    const { elicit, questions } = answering('y')
    const server = await serve({ approve: 'none', elicit, toml: `[policy]\nunattended = "${unattended}"\n` })
    await server.run({ command: 'touch a' })
    expect(server.made()).toEqual(made)
    expect(questions).toEqual([])
  })
})

describe.runIf(process.platform === 'linux').each(eras)(
  'a line of write mode that was refused something while held, for a client of the %s era',
  (era) => {
    it.each([
      ['elicit', ['y'], { mode: 'write', exitCode: 0, output: 'once\n' }, 1],
      ['elicit', ['n'], { mode: 'read', exitCode: 2 }, 1],
      ['client', undefined, { mode: 'write' }, 0],
      ['elicit', undefined, { mode: 'read' }, 0],
    ] as const)('--approve %s, answer %j: %j', async (approve, answers, structured, asked) => {
      const home = new Home()
      writeFileSync(join(home.directory, 'f'), 'b\na\n')
      const { questions, elicit } = answering(...(answers ?? []))
      const args = ['--mode', 'write', '--approve', approve, '--cwd', home.directory, '--structured']
      const { run } = await connect(args, { home, era, ...(answers && { elicit }) })
      expect(await run({ command: 'echo once; sort -o made f' })).toMatchObject({ structured })
      expect([questions.length, madeIn(home.directory).includes('made')]).toEqual([
        asked,
        structured.mode === 'write',
      ])
    })
  },
)
