import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseGitConfig } from '../../src/base/git-config.ts'
import { makeDirectory } from '../helpers/place.ts'

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

/** Pseudo-random numbers below a limit, the same ones in each run (mulberry32). */
function numbers(state: number): (limit: number) => number {
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
}

const pieces =
  '[a]|[a "b"]|[a.b]|[]|[a\n"b"]|\n|\n\t| = |=|key|x|"|""|\\|\\\n|\\"|\\\\|\\t|#|;| |\r\n|\r|\t|\v|\f|]|-|1|clean|é|\x7f|\ufeff'

function randomTexts(count: number): string[] {
  const below = numbers(7)
  const pick = (from: readonly string[]) => from[below(from.length)] ?? ''
  return Array.from({ length: count }, () => {
    const parts = Array.from({ length: 3 + below(14) }, () => pick(pieces.split('|')))
    return `${pick(['[a]\n', '', '[a]\nkey = x'])}${parts.join('')}`
  })
}

describe('a git configuration', () => {
  it('is read as git reads it, and refused as git refuses it', { timeout: 120_000 }, () => {
    const texts = [...Object.values(cases), ...randomTexts(600)]
    // A key without a value is listed without one; here it is true, which is what it means. Before 2.45 git makes spaces of other blanks.
    const alike = (entries: readonly string[] | undefined) =>
      entries?.map((entry) => (entry.includes('\n') ? entry : `${entry}\ntrue`).replaceAll(/[\t\r]/g, ' '))
    const expected = readByGit(texts)
    for (const [index, text] of texts.entries())
      expect(alike(readHere(text)), Object.keys(cases)[index] ?? JSON.stringify(text)).toEqual(
        alike(expected[index]),
      )
    expect(expected.filter((entries) => entries && entries.length > 0).length).toBeGreaterThan(50)
  })
})
