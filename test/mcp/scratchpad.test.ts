import { describe, expect, it } from 'vitest'
import { connect, eras } from './connect.ts'

describe.each(eras)('the scratchpad for a client of the %s era', (era) => {
  it('read_scratchpad reads lines and bytes', async () => {
    const { run, read } = await connect([], { era })
    await run({ command: 'seq 1 50000' })
    const rows = [
      [{ limit: 2 }, '1\n2\n[lines 1 to 2 of 50000; next: offset 2]'],
      [{ offset: -2 }, '49999\n50000\n[lines 49999 to 50000 of 50000]'],
      [{ unit: 'bytes', offset: 2, limit: 4 }, '2\n3\n[bytes 3 to 6 of 288894; next: offset 6]'],
      [{ offset: 99_999 }, '[no lines in this range; 50000 lines in total]'],
    ] as const
    for (const [input, text] of rows) expect((await read({ name: 'output-1', ...input })).text).toBe(text)
  })

  it.each([
    [{ name: 'none' }, 'no saved output named "none". Saved: log, bin.'],
    [{ name: '../log' }, 'no saved output named "../log". Saved: log, bin.'],
    [{ name: 'log', limit: 0 }, 'limit: Invalid value: Expected >=1'],
    [{ name: 'bin' }, '"bin"'],
  ])('%j is an error that says what to do', async (input, said) => {
    const { run, read } = await connect([], { era })
    await run({ command: 'echo x', scratchpad: 'log' })
    await run({ command: String.raw`printf 'a\000b'`, scratchpad: 'bin' })
    const answer = await read(input)
    expect(answer.isError).toBe(true)
    expect(answer.text).toContain(said)
  })

  it('read_scratchpad without a name lists what was saved, oldest first', async () => {
    const { run, list } = await connect([], { era })
    expect((await list()).text).toBe('This session has no saved outputs.')
    await run({ command: 'echo x; exit 3', scratchpad: 'first' })
    await run({ command: 'sleep 30', scratchpad: 'second', timeout_ms: 200 })
    const lines = (await list()).text.split('\n')
    expect(lines[0]).toMatch(/^first {2}2 B {2}\S+ {2}exit 3 {2}echo x; exit 3$/)
    expect(lines[1]).toMatch(/^second {2}0 B {2}\S+ {2}timed-out {2}sleep 30$/)
  })
})
