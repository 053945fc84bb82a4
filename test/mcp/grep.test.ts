import { execFileSync, spawnSync } from 'node:child_process'
import { chownSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { compilePattern } from '../../src/mcp/pattern.ts'
import { grepLine, slowPatternText } from '../../src/messages/mcp/scratchpad.ts'
import { Home, program } from '../cli/vitrine.ts'
import { isInstalled } from '../helpers/programs.ts'
import { connect } from './connect.ts'

/** Whether a pattern matches a text; undefined: it is refused. */
function matches(source: string, text: string, ignoreCase = false): boolean | undefined {
  const pattern = compilePattern(source, ignoreCase)
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
  ])('%s in %j: %s', (source, text, expected) => {
    expect(matches(source, text)).toBe(expected)
  })

  it('takes upper and lower case for the same when asked to', () => {
    expect([matches('ERROR', 'an error'), matches('ERROR', 'an error', true)]).toEqual([false, true])
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

  it('leaves the server free for other calls while it searches', async () => {
    const { run, read, list } = await connect()
    const script = "print(''.join(__import__('random').Random(1).choices('ab', k=1 << 20)))"
    await run({ command: `python3 -c "${script}"`, scratchpad: 'log' })
    let searching = true
    const grep = '[ab]*a[ab]{900}[cd]'
    const search = read({ name: 'log', grep }).finally(() => {
      searching = false
    })
    let answered = 0
    for (; searching; answered++) await list()
    // A slow machine does not get to the end of it.
    expect([grepLine(grep, false, 0, 0), slowPatternText(5000)]).toContain((await search).text)
    // A server that is not free answers once, after the search.
    expect(answered).toBeGreaterThan(2)
  })

  const other = ['setpriv', '--reuid=65531', '--clear-groups']
  const canSwitch =
    isInstalled('prlimit') && spawnSync('setpriv', [...other.slice(1), 'test', '-r', program]).status === 0
  it.runIf(canSwitch)(
    "needs no further thread: it answers at the limit of the user's processes",
    async () => {
      const home = new Home()
      chownSync(home.directory, 65_531, 0)
      const { run, read, pid } = await connect([], { home, wrapper: other })
      await run({ command: 'seq 1000', scratchpad: 'log' })
      // The threads that read files start with the first read.
      await read({ name: 'log', limit: 1 })
      execFileSync('setpriv', [...other.slice(1), 'prlimit', '--nproc=1:1', '--pid', String(pid())])
      for (let count = 0; count < 3; count++)
        expect((await read({ name: 'log', grep: '^77$' })).text).toBe('77:77\n[1 line matches /^77$/]')
    },
  )
})
