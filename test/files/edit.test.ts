import { describe, expect, it } from 'vitest'
import { globMatcher } from '../../src/files/find.ts'
import { edited } from '../../src/files/text.ts'

describe('edited', () => {
  const edit = (text: string, old: string, next: string, all = false) => edited(text, { old, new: next, all })

  it.each([
    ['one line', 'a\nb\nc\n', 'b', 'B', 'a\nB\nc\n', 2],
    ['LF for a CRLF file', 'a\r\nb\r\nc', 'a\nb', '1\n2\n3', '1\r\n2\r\n3\r\nc', 1],
    ['CRLF for an LF file', 'a\nb\n', 'a\r\nb', '1\r\n2', '1\n2\n', 1],
    ['a new line in a CRLF file', 'a\r\nb\r\n', 'b', 'b\nc', 'a\r\nb\r\nc\r\n', 2],
    ['LF where a file has both', 'a\nb\r\nc\n', 'b\nc', 'x\ny', 'a\nx\r\ny\n', 2],
    ['a bare CR in a file whose line ends are LF', 'a\rb\nc\n', 'a\rb', 'x\ry', 'x\ry\nc\n', 1],
    ['a dollar sign in the new text', 'a', 'a', "$&$'", "$&$'", 1],
    ['the last line without its end', 'a\nb', 'b', 'c', 'a\nc', 2],
    ['nothing in the place of a line', 'a\nb\n', 'a\n', '', 'b\n', 1],
  ])('%s', (_, text, old, next, wanted, line) => {
    expect(edit(text, old, next)).toEqual({ text: wanted, replaced: 1, line })
  })

  it('replaces all only if that is asked for, and else tells of the lines', () => {
    expect(edit('a\nb a\n', 'a', 'c')).toEqual({ kind: 'matches', count: 2, lines: [1, 2] })
    expect(edit('x\na\na b a\n', 'a', 'aa', true)).toEqual({ text: 'x\naa\naa b aa\n', replaced: 3, line: 2 })
  })

  it.each([
    [
      'of other white space',
      'x\n\tif (a) {\n\t\tgo()\n',
      '  if (a) {\n    go()',
      2,
      ['\tif (a) {', '\t\tgo()'],
    ],
    [
      'of another name',
      'a\nconst total = sum(values)\nb\n',
      'const total = sum(items)',
      2,
      ['const total = sum(values)'],
    ],
    [
      'behind a first line that is not there',
      'a\nb\nreturn parse(input)\n',
      'zzz\nreturn parse(output)',
      2,
      ['b', 'return parse(input)'],
    ],
  ])('shows the nearest lines: %s', (_, text, old, from, lines) => {
    expect(edit(text, old, 'new')).toEqual({ kind: 'no-match', nearest: { from, lines } })
  })

  it('shows none where nothing is similar, and takes its time with neither many nor long lines', () => {
    expect(edit('a\nb\n', 'something else', 'x')).toEqual({ kind: 'no-match', nearest: undefined })
    edit(
      `${'const value = compute(index)\n'.repeat(200_000)}${'x'.repeat(5_000_000)}`,
      `const valu = compute(indx)${'y'.repeat(1e6)}`,
      'x',
    )
  })
})

describe('globMatcher', () => {
  it.each([
    ['*.ts', ['a.ts', '.x.ts'], ['a/b.ts', 'a.tsx', 'ats']],
    ['**/*.ts', ['a.ts', 'a/b/c.ts'], ['a.js']],
    ['src/**', ['src/a', 'src/a/b'], ['src', 'lib/a']],
    ['./a?c', ['abc'], ['a/c', 'ac']],
    ['*.{ts,js}', ['a.ts', 'a.js'], ['a.{ts,js}', 'a.tsx']],
    ['[a-c][!0-9].x', ['ab.x'], ['a1.x', 'db.x']],
    ['a\\*b', ['a*b'], ['aXb']],
    ['a+(b).c$', ['a+(b).c$'], ['aab.c', 'aabxc$']],
    ['{a', ['a'], ['{a']],
    ['a}', ['a}'], ['a']],
    ['ä{ö,/x}', ['äö', 'ä/x'], ['ä']],
  ])('%s', (pattern, matching, others) => {
    const matches = globMatcher(pattern)
    expect(matching.filter((path) => !matches(path))).toEqual([])
    expect(others.filter(matches)).toEqual([])
  })
})
