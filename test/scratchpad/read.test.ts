import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { grepEntry, readBytes, readLines } from '../../src/scratchpad/read.ts'
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
    expect(await readLines(file(ten), { offset, limit }, 1000)).toEqual({
      text,
      from,
      to,
      total: 10,
      cut: false,
    })
  })

  it('as many whole lines as fit come back, and the beginning of one that is too long alone', async () => {
    expect(await readLines(file(ten), { offset: 0, limit: 10 }, 15)).toMatchObject({
      text: 'line 1\nline 2\n',
      to: 2,
      cut: false,
    })
    expect(await readLines(file(`${'x'.repeat(50)}\nnext\n`), { offset: 0, limit: 10 }, 15)).toMatchObject({
      text: 'x'.repeat(15),
      from: 1,
      to: 1,
      cut: true,
    })
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
  const look = (content: string, pattern: RegExp, context = 0, maxChars = 1000) =>
    grepEntry(file(content), { pattern: linePattern(pattern), context, maxChars, timeoutMs: 5000 })
  const linePattern = (pattern: RegExp) => ({ test: (text: string) => pattern.test(text), longest: 100_000 })

  it('shows the lines that match with their numbers', async () => {
    expect(await look(ten, /[24]$/)).toEqual({
      kind: 'found',
      text: '2:line 2\n4:line 4',
      matches: 2,
      shown: 2,
    })
  })

  it('context is shown as grep shows it', async () => {
    expect(await look(ten, /[29]$/, 1)).toMatchObject({
      text: '1-line 1\n2:line 2\n3-line 3\n--\n8-line 8\n9:line 9\n10-line 10',
    })
    expect(await look(ten, /[24]$/, 1)).toMatchObject({
      text: '1-line 1\n2:line 2\n3-line 3\n4:line 4\n5-line 5',
    })
  })

  it('a line longer than a megabyte is looked through in parts', async () => {
    const content = `${'x'.repeat(5_000_000)}needle\nnext\n`
    expect(await look(content, /needle/)).toMatchObject({ matches: 1 })
    const across = `${'x'.repeat(99_997)}needle${'x'.repeat(100_000)}\n`
    expect(await look(across, /needle/)).toMatchObject({ matches: 1 })
  })
})
