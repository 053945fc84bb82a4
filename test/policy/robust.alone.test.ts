import { describe, expect, it } from 'vitest'
import { decideLine, presetRules, rulesOf } from './helper.ts'

/** Processor time, which a busy machine does not stretch. It includes compiling and collecting; a quadratic reading takes seconds. */
const BOUND_MS = 400

function numbered(count: number, mark: string): string {
  return Array.from({ length: count }, (_, index) => `a${index}${mark}`).join(' ')
}

/** Not understood, and so not allowed in write mode. */
const unread: Readonly<Record<string, string>> = {
  'a line of 100 KB': `echo ${'a'.repeat(100_000)}`,
  '100 KB of here-documents': 'cat <<E '.repeat(12_500),
  '10,000 nested substitutions': '$('.repeat(10_000),
  '10,000 closed substitutions': `${'$('.repeat(10_000)}ls${')'.repeat(10_000)}`,
  '10,000 nested subshells': `${'('.repeat(10_000)}ls${')'.repeat(10_000)}`,
  '10,000 nested groups': '{ '.repeat(10_000),
  '10,000 expansions': `echo ${'${x:-'.repeat(10_000)}`,
  '10,000 quotes': `echo ${'"$('.repeat(10_000)}`,
  '10,000 bash-only quotes': Array.from({ length: 8_000 }, (_, index) => `$'${index}'`).join(' '),
  '10,000 wrappers': `${'sudo '.repeat(10_000)}ls`,
  '5,000 markers of xargs': `xargs ${Array.from({ length: 5_000 }, (_, index) => `-I${index}`).join(' ')} ${'b '.repeat(10_000)}`,
  'an invalid surrogate': 'ls \ud800 \udfff',
  'a NUL': 'ls \0 -la',
  'every control character': `ls ${Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join('')}`,
  'C1 controls': `ls ${Array.from({ length: 32 }, (_, code) => String.fromCharCode(128 + code)).join('')}`,
  'a carriage return': 'ls\r\nls\r\n',
}

const lines: Readonly<Record<string, string>> = {
  ...unread,
  'a line of 64 KB': `echo ${'a '.repeat(32_000)}`,
  '64 here-documents': `cat ${'<<E '.repeat(64)}`,
  '10,000 brackets': `ls ${'['.repeat(10_000)}`,
  '10,000 commands': 'ls;'.repeat(10_000),
  '10,000 pipes': `ls${'|wc'.repeat(10_000)}`,
  '10,000 stars': `ls ${'*'.repeat(10_000)}`,
  '1,000 stars between letters': `cat ${'*a'.repeat(1_000)}`,
  'nested scripts': `eval "${'eval \\"'.repeat(20)}ls`,
  'a condition of 10,000 words': `[ ${'a -a '.repeat(5_000)}a ]`,
  'a condition of 10,000 negations': `[ ${'! '.repeat(10_000)}a ]`,
  '10,000 files that are written': `tee ${'a '.repeat(10_000)}`,
  '50,000 slashes behind the home directory': `rm -rf $HOME${'/'.repeat(50_000)}x`,
  '16,000 marks of parallel': `parallel a ${'::: a '.repeat(16_000)}`,
  '10,000 copies of a file to its own name': `cp ${'a '.repeat(10_000)}`,
  '10,000 different patterns, moved': `mv ${numbered(10_000, '*')} there`,
  '10,000 redirects': `ls ${'>a '.repeat(10_000)}`,
  '10,000 directories of git': `git ${'-C a '.repeat(10_000)}status`,
  'what invalid UTF-8 becomes': 'ls \ufffd\ufffd',
  'blanks only': ' \t\n ',
  nothing: '',
}

describe('any line comes to a verdict in bounded time', () => {
  for (const [name, line] of Object.entries(lines))
    it(name, () => {
      for (const preset of ['default', 'analysis'] as const)
        for (const mode of ['read', 'write'] as const) {
          const started = process.cpuUsage()
          const { verdict } = decideLine(line, presetRules(preset), mode)
          const { user, system } = process.cpuUsage(started)
          expect((user + system) / 1000).toBeLessThan(BOUND_MS)
          expect(['allow', 'ask', 'deny']).toContain(verdict)
        }
    })

  it('60 options before a word that a rule names', () => {
    const rules = rulesOf({ deny: ['npm publish'] })
    const started = process.cpuUsage()
    expect(decideLine(`npm ${'-a '.repeat(60)}x`, rules, 'read').verdict).toBe('allow')
    expect(decideLine(`npm ${'-a '.repeat(60)}publish`, rules, 'read').verdict).toBe('deny')
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(BOUND_MS)
  })

  for (const [name, line] of Object.entries(unread))
    it(`does not allow ${name} in write mode`, () => {
      expect(decideLine(line, presetRules('default'), 'write').verdict).toBe('ask')
      expect(decideLine(line, presetRules('analysis'), 'read').verdict).toBe('deny')
    })
})
