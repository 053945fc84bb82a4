import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readBytes, readLines } from '../../src/scratchpad/read.ts'
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
