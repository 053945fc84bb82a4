import { platform } from '../base/platform.ts'
import { quoted } from '../base/text.ts'
import { isString, kindOf, refuseRequest, refuseType } from './fields.ts'

/** A word of a line, or a list of words. */
export type TemplateValue = string | number | readonly (string | number)[]

/**
 * The line of a template string: each value is one word of it, whatever it contains. Throws INVALID_REQUEST where quotes would not make it
 * one: in quotes, in a comment, in a here-document, in arithmetic.
 */
export function lineOf(parts: readonly string[], values: readonly TemplateValue[]): string {
  if (values.length > 0) refuseUnquotable(parts)
  const [first = '', ...rest] = parts
  return rest.reduce((line, part, index) => line + wordsOf(values[index]) + part, first)
}

/** A variable without a value is refused: `rm -r ${directory}/x` would name another place. */
function wordsOf(value: unknown): string {
  const given: readonly unknown[] = Array.isArray(value) ? value : [value]
  const words = given.map((word) => (typeof word === 'number' || isString(word) ? String(word) : undefined))
  return words.map((word) => quote(word ?? refuseType('value', wanted, kindOf(value)))).join(' ')
}

const wanted = 'a string, a number or an array of them'

function quote(word: string): string {
  return platform === 'windows' ? `'${word.replaceAll(/['‘’‚‛]/g, '$&$&')}'` : quoted(word)
}

/** What quotes itself to its end, so that a value behind it is a word. */
const closed = [/\\[\s\S]/, /'[^']*'/, /\$\{\w+\}/, /"(?:\\[\s\S]|[^"\\`$]|\$\{\w+\}|\$(?![({]))*"/]
/**
 * What begins a place where quotes do not quote: other quotes, a comment, a here-document, a parameter's expansion, and arithmetic, for
 * which bash expands what is quoted, as it does behind `>&`. At the end a character that changes the quote behind it.
 */
const open = [/\$'/, /['"`]/, /\$\{/, /\(\(/, /\w\[/, /<</, /(?<=^|[\s;&|()])#/, /[\\$]$/, /[<>]&\s*[\w-]*$/]

const tokens = new RegExp(`${sources(closed)}|(${sources(open)})`, 'g')

function sources(patterns: readonly RegExp[]): string {
  return patterns.map(({ source }) => source).join('|')
}

function refuseUnquotable(parts: readonly string[]): void {
  // Behind the last value anything may stand.
  for (const part of parts.slice(0, -1)) {
    const opener = [...part.matchAll(tokens)].find(([, found]) => found !== undefined)?.[1]
    if (opener !== undefined) refuseRequest({ kind: 'template', opener })
  }
}
