import type { HintReader } from '../base/hint.ts'
import { clipped, visible } from '../base/text.ts'
import type { SimpleCommand } from './line.ts'
import { parseLine } from './parse.ts'
import { nameOf } from './rules.ts'

interface LineEnd {
  readonly signal: NodeJS.Signals | null
  readonly reader: HintReader
  readonly inDash: boolean
}

/** What a result says about its line: that dash reads it otherwise than bash, or that it ended its own shell. */
export function lineHint(line: string, { signal, reader, inDash }: LineEnd): string | undefined {
  const { commands, bashWords } = parseLine(line)
  const pattern = commands.map((command) => ownPattern(command, line)).find((own) => own !== undefined)
  const said = [
    ...(inDash && bashWords.size > 0 ? [dashHint([...bashWords], reader)] : []),
    ...(signal !== null && pattern !== undefined ? [pkillHint(pattern, signal)] : []),
  ]
  return said.length > 0 ? said.join(' ') : undefined
}

/** The pattern of a `pkill -f` that certainly matches the line which holds it. */
function ownPattern({ words: [head, ...rest] }: SimpleCommand, line: string): string | undefined {
  if (nameOf(head?.value ?? '') !== 'pkill') return undefined
  const given = rest.map(({ value }) => value)
  const isFull = given.some((word) => /^-[a-z]*f[a-z]*$|^--full$/.test(word))
  const isExact = given.some((word) => /^-[a-z]*x[a-z]*$|^--exact$/.test(word))
  const pattern = given.findLast((word) => !word.startsWith('-')) ?? ''
  // Text without special characters but `.` and `.*`, as it stands in the line.
  const isPlain = pattern.split('.*').every((part) => /^[\w ./:=@,-]+$/.test(part))
  return isFull && !isExact && isPlain && line.includes(pattern) ? pattern : undefined
}

const maxWords = 4

/** The shell of the line is dash, and bash would have read these words otherwise. Other shells are a setting. */
function dashHint(words: readonly string[], reader: HintReader): string {
  const said = words.slice(0, maxWords).map((text) => `"${clipped(text, 30)}"`)
  const way =
    reader === 'user'
      ? 'For bash: --shell bash, or [shell] program = "bash".'
      : 'Write it for sh, or ask the user to set [shell] program = "bash".'
  return `The shell is dash, which reads this line otherwise than bash does, or not at all: ${said.join(', ')}. ${way}`
}

/** @param pattern that of `pkill -f`, which matches the arguments of the shell that runs the line */
function pkillHint(pattern: string, signal: NodeJS.Signals): string {
  const other = /^\w/.test(pattern) ? `: pkill -f '[${pattern[0]}]${visible(pattern.slice(1))}'` : ''
  return `"pkill -f" ended the shell of this line, too (${signal}): the pattern is in the arguments of that shell. Write a pattern that does not match itself${other}.`
}
