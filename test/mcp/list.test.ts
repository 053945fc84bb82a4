import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { answering, connect, eras, madeIn } from './connect.ts'

describe.each(eras)('a list of command lines for a client of the %s era', (era) => {
  it('answers for each line, in order', async () => {
    const { run } = await connect([], { era })
    expect(await run({ command: 'echo a', next: ['printf b', 'true'] })).toEqual({
      text: '[line 1 of 3: echo a]\na\n[line 2 of 3: printf b]\nb\n[line 3 of 3: true]\n(no output)\n',
      isError: false,
      structured: undefined,
    })
  })

  it('ends at the first line that fails, and names what failed and what did not run', async () => {
    const { run, home } = await connect(['--mode', 'write'], { era })
    const { text, isError } = await run({ command: 'echo a', next: ['exit 3', 'touch made', 'echo d'] })
    expect(isError).toBe(false)
    expect(text).toBe(
      '[line 1 of 4: echo a]\na\n[line 2 of 4: exit 3]\n(no output)\n[exit code: 3]\n' +
        '[line 2 of 4 failed (exit code 3): exit 3]\n[not run: touch made; echo d]\n',
    )
    expect(existsSync(join(home.directory, 'made'))).toBe(false)
  })

  it('ignore_errors goes on, and every failure is named', async () => {
    const { run, home } = await connect(['--mode', 'write'], { era })
    const { text } = await run({ command: 'exit 3', next: ['touch made', 'exit 4'], ignore_errors: true })
    expect(text).toMatch(/\[line 1 of 3 failed .*: exit 3\]\n\[line 3 of 3 failed .*: exit 4\]\n$/)
    expect(existsSync(join(home.directory, 'made'))).toBe(true)
  })

  it('shows no more of all outputs than of one, and saves each whole', async () => {
    const { run, list } = await connect([], { era })
    const { text } = await run({ command: 'seq 1 9000', next: ['seq 1 9000', 'seq 1 9000'] })
    expect(text.length).toBeLessThan(31_500)
    expect((await list()).text.trim().split('\n')).toHaveLength(3)
  })

  it('scratchpad keeps the output of each line under a name of its own', async () => {
    const { run } = await connect([], { era })
    const { text } = await run({ command: 'echo a', next: ['echo b'], scratchpad: 'log' })
    const paths = [...text.matchAll(/saved whole to scratchpad "(log(?:-2)?)" at (\S+)\]/g)]
    expect(paths.map(([, name]) => name)).toEqual(['log', 'log-2'])
    expect(paths.map(([, , path = '']) => readFileSync(path, 'utf8'))).toEqual(['a\n', 'b\n'])
  })

  it('--structured has the fields of each line, and the lines that did not run', async () => {
    const { run } = await connect(['--structured'], { era })
    const { structured } = await run({ command: 'echo a', next: ['exit 3', 'echo c'] })
    expect(structured).toMatchObject({
      output: 'a\n',
      exitCode: 0,
      next: [{ exitCode: 3 }],
      notRun: ['echo c'],
    })
    expect((await run({ command: 'echo a' })).structured).not.toHaveProperty('next')
  })

  it.each([
    [{ command: 'echo a', ignore_errors: true }, 'INVALID_REQUEST: ignore_errors continues after'],
    [{ command: 'echo a', next: [] }, 'next: Invalid length: Expected >=1'],
    [{ command: 'echo a', next: 'echo b' }, 'next: Invalid type: Expected Array'],
    [{ command: 'echo a', next: [5] }, 'Invalid type: Expected string'],
    [{ command: 'echo a', next: Array(8).fill('echo b') }, 'next: Invalid length: Expected <=7'],
    [{ command: 'echo a', next: ['echo b', ' '] }, 'INVALID_REQUEST: '],
  ])('%j is refused', async (input, said) => {
    const { run } = await connect([], { era })
    const answer = await run(input)
    expect(answer.isError).toBe(true)
    expect(answer.text).toContain(said)
  })
})

describe.each(eras)('approval of a list, asked of a client of the %s era', (era) => {
  async function serve(...answers: string[]) {
    const { questions, elicit } = answering(...answers)
    const server = await connect(['--mode', 'write', '--approve', 'elicit'], { era, elicit })
    const asked = () => questions.map((message) => message.split('\n')[1]?.trim())
    return { ...server, asked, made: () => madeIn(server.home.directory) }
  }

  it('asks about each line once, as many as a list can hold', async () => {
    const { run, asked, made } = await serve(...Array(8).fill('y'))
    const lines = [1, 2, 3, 4, 5, 6, 7, 8].map((number) => `touch ${number}`)
    const [command, ...next] = lines
    expect(await run({ command, next })).toMatchObject({ isError: false })
    expect(asked()).toEqual(lines)
    expect(made()).toHaveLength(8)
  })

  it('one no runs nothing, and the answer names the line', async () => {
    const { run, made } = await serve('y', 'n')
    const answer = await run({ command: 'touch a', next: ['touch b', 'touch c'] })
    expect(answer).toMatchObject({
      isError: true,
      text: expect.stringContaining('The user said no about "touch b".'),
    })
    expect(made()).toEqual([])
  })

  it('one yes counts for one line, also where the list holds it twice', async () => {
    const { run, asked, made } = await serve('y', 'n')
    expect(await run({ command: 'touch a', next: ['touch a'] })).toMatchObject({ isError: true })
    expect(asked()).toEqual(['touch a', 'touch a'])
    expect(made()).toEqual([])
  })
})
