import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseGitConfig } from '../../../src/base/git-config.ts'
import { makeDirectory } from '../../helpers/place.ts'
import { Random } from './random.ts'

const directory = makeDirectory()

/** What git itself reads of each text; undefined where it refuses it. One shell starts git: this process is large to fork. */
function readByGit(texts: readonly string[]): (string[] | undefined)[] {
  for (const [index, text] of texts.entries()) writeFileSync(join(directory, `${index}`), text)
  const line = 'git config --list -z --file $n > $n.read 2> /dev/null || rm $n.read'
  execFileSync('sh', ['-c', `for n in $(seq 0 ${texts.length - 1}); do ${line}; done`], {
    cwd: directory,
    env: { PATH: process.env['PATH'], HOME: directory, GIT_CONFIG_NOSYSTEM: '1' },
  })
  return texts.map((_, index) => {
    const file = join(directory, `${index}.read`)
    return existsSync(file) ? readFileSync(file, 'utf8').split('\0').filter(Boolean) : undefined
  })
}

function readHere(text: string): string[] | undefined {
  return parseGitConfig(text)?.map(({ key, value }) => `${key}\n${value}`)
}

const cases: Readonly<Record<string, string>> = {
  'a key on the line of its section': '[core] fsmonitor = x',
  'a subsection with quotes': '[filter "a\\"b"]\n\tclean = x',
  'an old subsection': '[Filter.Foo]\n\tCLEAN = x',
  'a continued value': '[core]\n\ta = b\\\n  c = d\n\te = f',
  'a continued comment': '[core]\n\ta = b ; c \\\n\td = e',
  'quotes that hide a comment': '[core]\n\ta = "b # c" # d',
  'a key without a value': '[core]\n\tbare',
  'carriage returns': '[core]\r\n\ta = b\r\n',
  'a byte order mark': '\ufeff[core]\n\ta = b',
  'several keys and blanks': '[a]b=c\n[d "e"]f = g   h  \n\n\ti=j',
  'an escape that git does not know': '[core]\n\ta = \\x',
  'no section': 'a = b',
  'an open quote': '[core]\n\ta = "b\nc = d',
  'a backslash at the end of the file': '[core]\n\ta = b\\',
  'quotes after a blank': '[core]\n\ta = b ""',
  'a form feed after a value': '[core]\n\ta = b\f',
  'a form feed before a key': '[core]\n\f\ta = b',
  'an empty section': '[]\n\ta = b',
  'a section without an end': '[core]\n\ta = b\n[x',
  'a subsection on the next line': '[core\n"x"]\n\ta = b',
}

describe('a git configuration', () => {
  for (const [name, text] of Object.entries(cases))
    it(`is read as git reads it: ${name}`, () => {
      // A key without a value is listed without one; here it is true, which is what it means.
      const [read] = readByGit([text])
      const expected = read?.map((entry) => (entry.includes('\n') ? entry : `${entry}\ntrue`))
      expect(readHere(text)).toEqual(expected)
    })

  it('is read as git reads it, and refused as git refuses it: random text', { timeout: 120_000 }, () => {
    const random = new Random(7)
    const pieces = [
      ...[
        '[a]',
        '[a "b"]',
        '[a.b]',
        '[]',
        '[a\n"b"]',
        '\n',
        '\n\t',
        ' = ',
        '=',
        'key',
        'x',
        '"',
        '""',
        '\\',
        '\\\n',
      ],
      ...[
        '\\"',
        '\\\\',
        '\\t',
        '#',
        ';',
        ' ',
        '\r\n',
        '\r',
        '\t',
        '\v',
        '\f',
        ']',
        '-',
        '1',
        'clean',
        'é',
        '\x7f',
        '\ufeff',
      ],
    ]
    const texts = Array.from({ length: 600 }, () => {
      const parts = Array.from({ length: 3 + random.below(14) }, () => random.pick(pieces))
      return `${random.pick(['[a]\n', '', '[a]\nkey = x'])}${parts.join('')}`
    })
    // Git before 2.45 makes spaces of the blanks in a value.
    const alike = (entries: readonly string[] | undefined) =>
      entries?.map((entry) => (entry.includes('\n') ? entry : `${entry}\ntrue`).replaceAll(/[\t\r]/g, ' '))
    let accepted = 0
    for (const [index, expected] of readByGit(texts).entries()) {
      const text = texts[index] ?? ''
      expect(alike(readHere(text)), JSON.stringify(text)).toEqual(alike(expected))
      if (expected && expected.length > 0) accepted += 1
    }
    expect(accepted).toBeGreaterThan(50)
  })
})
