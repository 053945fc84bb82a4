import type { Arguments, Objection } from '../command/arguments.ts'
import { knownValue, type Word } from '../syntax/line.ts'

const SHELL_OPTIONS = /^-[celu]+$/

/** sh: only `-c` and a known script, checked like the line itself; later words are its parameters. */
export function checkShell({ words }: Arguments): Objection | undefined {
  const script = scriptOf(words)
  // More options could follow: with `-k`, words after the command name assign variables.
  if (!script || /^[-+]/.test(script.fixed))
    return { kind: 'form', text: words.map(({ text }) => text).join(' ') }
  return knownValue(script) === undefined ? { kind: 'open-word', text: script.text } : undefined
}

/** Words that name files: none with `-c`, because the script is checked separately. */
export function pathsOfShell(words: readonly Word[]): readonly Word[] {
  return scriptOf(words) ? [] : words
}

function scriptOf(words: readonly Word[]): Word | undefined {
  const at = words.findIndex((word) => !SHELL_OPTIONS.test(knownValue(word) ?? ''))
  const isGiven = words.slice(0, at).some(({ value }) => value.includes('c'))
  return isGiven ? words[at] : undefined
}

const DURATION = /^\d+(?:\.\d+)?[smhd]?$/

/** timeout: exactly one known duration before the command; an option after it would be the command's name. */
export function checkTimeout({ operands, words }: Arguments): Objection | undefined {
  const duration = words.at(-1)
  const isClear =
    duration && operands.length === 1 && operands[0] === duration && DURATION.test(knownValue(duration) ?? '')
  return isClear ? undefined : { kind: 'form', text: operands.map(({ text }) => text).join(' ') }
}
