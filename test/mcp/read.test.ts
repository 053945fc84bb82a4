import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { grepEntry } from '../../src/mcp/grep.ts'
import { readBytes, readLines } from '../../src/mcp/read.ts'
import { makeDirectory } from '../helpers/place.ts'

function file(content: string | Buffer): string {
  const path = join(makeDirectory(), 'entry')
  writeFileSync(path, content)
  return path
}

const ten = Array.from({ length: 10 }, (_, index) => `line ${index + 1}\n`).join('')
const everything = Number.MAX_SAFE_INTEGER

describe('reading lines', () => {
  it.each([
    [0, 3, 'line 1\nline 2\nline 3\n', 1, 3],
    [7, 100, 'line 8\nline 9\nline 10\n', 8, 10],
    [-2, 100, 'line 9\nline 10\n', 9, 10],
    [-2, 1, 'line 9\n', 9, 9],
    [-50, 1, 'line 1\n', 1, 1],
    [10, 5, '', 11, 10],
    [everything, everything, '', everything + 1, everything],
    [0, 0, '', 1, 0],
  ])('offset %d, limit %d', async (offset, limit, text, from, to) => {
    const read = await readLines(file(ten), { offset, limit }, 1000)
    expect(read).toEqual({ text, from, to, total: 10, cut: false })
  })

  it('as many whole lines as fit come back, and the beginning of one that is too long alone', async () => {
    const begin = (text: string) => readLines(file(text), { offset: 0, limit: 10 }, 15)
    expect(await begin(ten)).toMatchObject({ text: 'line 1\nline 2\n', to: 2, cut: false })
    const cut = { text: 'x'.repeat(15), from: 1, to: 1, cut: true }
    expect(await begin(`${'x'.repeat(50)}\nnext\n`)).toMatchObject(cut)
  })
})

describe('reading bytes', () => {
  it.each([
    [0, 4, 'line', 1, 4],
    [5, 3, '1\nl', 6, 8],
    [-3, 100, '10\n', 69, 71],
    [everything, 5, '', everything + 1, everything],
  ])('offset %d, limit %d', async (offset, limit, text, from, to) => {
    expect(await readBytes(file(ten), { offset, limit }, 1000)).toMatchObject({ text, from, to, total: 71 })
  })

  it('a character that is cut in two is left out, not replaced', async () => {
    expect((await readBytes(file('aéb'), { offset: 0, limit: 2 }, 100)).text).toBe('a')
    expect((await readBytes(file('aéb'), { offset: 2, limit: 2 }, 100)).text).toBe('b')
  })
})

describe('looking for a pattern', () => {
  const look = (content: string, source: string, context = 0, ignoreCase = false) =>
    grepEntry(file(content), { source, ignoreCase, context, maxChars: 1000 })

  it.each([
    ['[24]$', 0, '2:line 2\n4:line 4\n[2 lines match /[24]$/]'],
    ['[29]$', 1, '1-line 1\n2:line 2\n3-line 3\n--\n8-line 8\n9:line 9\n10-line 10\n[2 lines match /[29]$/]'],
    ['[24]$', 1, '1-line 1\n2:line 2\n3-line 3\n4:line 4\n5-line 5\n[2 lines match /[24]$/]'],
    ['none', 0, '[no line matches /none/]'],
  ])('shows the lines that match %j as grep -n -C %d does', async (source, context, text) => {
    expect(await look(ten, source, context)).toEqual({ text })
  })

  it('tells of matches that are not shown', async () => {
    const text = 'x'.repeat(400)
    const found = await look(`${text}\n`.repeat(5), 'x')
    expect(found).toMatchObject({ text: expect.stringMatching(/\[5 lines match \/x\/; the first 3 are/) })
  })

  it('a line longer than a megabyte is looked through in parts', async () => {
    const across = `${'x'.repeat(4_000_000 / 16 - 3)}needle${'x'.repeat(1_000_000)}\n`
    for (const content of [`${'x'.repeat(5_000_000)}needle\nnext\n`, across])
      expect(await look(content, 'needle')).toMatchObject({
        text: expect.stringMatching(/\[1 line matches \/needle\/\]$/),
      })
  })

  const matches = async (source: string, text: string, ignoreCase = false) => {
    const found = await look(text, source, 0, ignoreCase)
    return 'text' in found ? found.text.startsWith('1:') : undefined
  }

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
    ['ERROR', 'an error', false],
    ['(?=x)', 'x', undefined],
    ['(?!x)', 'x', undefined],
    ['(a)\\1', 'aa', undefined],
    ['(', '(', undefined],
    ['(a{1000}){1000}', 'a', undefined],
    ['a'.repeat(1001), 'a', undefined],
    ['[a-z]{999}[a-z]{999}', 'a', undefined],
    // These take exponential time elsewhere.
    ['^(a+)+$', 'a'.repeat(100_000), true],
    ['^(a|aa)+b$', 'a'.repeat(100_000), false],
    ['(a*)*c', 'a'.repeat(100_000), false],
    ['(x+x+)+y', 'x'.repeat(100_000), false],
  ])('%s in %j: %s', async (source, text, expected) => {
    expect(await matches(source, text)).toBe(expected)
  })

  it('takes upper and lower case for the same when asked to', async () => {
    expect(await matches('ERROR', 'an error', true)).toBe(true)
  })
})
