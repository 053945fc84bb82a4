import { describe, expect, it } from 'vitest'
import { commandLine } from '../../src/request/powershell.ts'

/** CommandLineToArgvW, as its documentation tells it: the other half of what is tested. */
function parse(line: string): string[] {
  const program = /^(?:"([^"]*)"|([^\s"]*))\s*/.exec(line)
  const argv = [program?.[1] ?? program?.[2] ?? '']
  const rest = line.slice(program?.[0].length ?? 0)
  let current = ''
  let inside = false
  let started = false
  for (const [, slashes = '', next = ''] of rest.matchAll(/(\\*)([\s\S]|$)/g)) {
    if (next === '"') {
      current += '\\'.repeat(Math.floor(slashes.length / 2))
      started = true
      if (slashes.length % 2 === 1) current += '"'
      else inside = !inside
      continue
    }
    current += slashes
    if (slashes !== '') started = true
    if (next !== '' && (inside || !/[ \t]/.test(next))) {
      current += next
      started = true
    } else if (started && !inside) {
      argv.push(current)
      current = ''
      started = false
    }
  }
  return argv
}

const vectors = [
  ['a'],
  ['a', ''],
  ['a', '', ''],
  ['a', 'two words', '\ttab'],
  ['a', '"', '\\"', '\\\\"'],
  ['a', 'c:\\dir\\', 'c:\\two words\\', 'c:\\two words\\\\'],
  ['a', 'first\nsecond', '\u00a0', '🎉 日本'],
  ['C:\\Program Files\\node.exe', '-e', 'console.log("x y")'],
]

describe('the command line of Windows', () => {
  it.each(vectors)('%j is read back as it was', (...argv) => {
    expect(parse(commandLine(argv))).toEqual(argv)
  })

  it('everything of backslashes, quotes and blanks up to length 5 is read back as it was', () => {
    const alphabet = ['\\', '"', ' ', 'x']
    let words = ['']
    for (let length = 0; length < 5; length++) {
      words = words.flatMap((word) => alphabet.map((letter) => word + letter))
      for (const word of words) expect(parse(commandLine(['a', word, 'z']))).toEqual(['a', word, 'z'])
    }
  })
})
