import { describe, expect, it } from 'vitest'
import { compilePattern, grepLine } from '../../src/mcp/scratchpad.ts'
import { connect } from './connect.ts'

/** Whether a pattern matches a text; undefined: it is refused. */
async function matches(source: string, text: string, ignoreCase = false): Promise<boolean | undefined> {
  const pattern = await compilePattern(source, ignoreCase)
  return 'reason' in pattern ? undefined : pattern.test(text)
}

describe('the syntax of read_scratchpad with grep', () => {
  it.each([
    ['error|warn', 'a warning', true],
    ['^\\d{4}-\\d\\d$', '2026-11', true],
    ['\\bfoo\\b', 'a foo.', true],
    ['[^/\\s]+\\.ts:\\d+', 'src/a.ts:7', true],
    ['(?i)ERROR', 'an error', true],
    ['\\-x\\/y\\@z', '-x/y@z', true],
    ['\\p{Greek}', 'α', true],
    ['x{2,3}?', 'xx', true],
    ['(?<name>a)b', 'ab', true],
    ['.', '', false],
    ['(?=x)', 'x', undefined],
    ['(?!x)', 'x', undefined],
    ['(a)\\1', 'aa', undefined],
    ['(', '(', undefined],
    ['(a{1000}){1000}', 'a', undefined],
    ['a'.repeat(1001), 'a', undefined],
    ['[a-z]{999}[a-z]{999}', 'a', undefined],
  ])('%s in %j: %s', async (source, text, expected) => {
    expect(await matches(source, text)).toBe(expected)
  })

  it('takes upper and lower case for the same when asked to', async () => {
    const found = [matches('ERROR', 'an error'), matches('ERROR', 'an error', true)]
    expect(await Promise.all(found)).toEqual([false, true])
  })
})

describe('read_scratchpad with grep', () => {
  it('answers for patterns that take exponential time elsewhere', async () => {
    const { run, read } = await connect()
    await run({ command: 'head -c 100000 /dev/zero | tr "\\0" a; echo; echo b', scratchpad: 'log' })
    for (const [grep, matches] of [
      ['^(a+)+$', 1],
      ['^(a|aa)+b$', 0],
      ['(a*)*c', 0],
      ['(x+x+)+y', 0],
    ] as const) {
      const { isError, text } = await read({ name: 'log', grep })
      expect({ isError, last: text.trimEnd().split('\n').at(-1) }).toEqual({
        isError: false,
        last: grepLine(grep, false, matches, matches),
      })
    }
  })
})
