import type { Approval } from './approver.ts'

const answers: Readonly<Record<string, Approval>> = {
  y: 'yes',
  n: 'no',
  a: 'all',
  s: 'same',
  '\r': 'no',
  '\n': 'no',
}

/** Ctrl+C, Ctrl+D, Ctrl+\ and Escape, with which a terminal's own escape sequences begin. */
const refusing = [0x03, 0x04, 0x1c, 0x1b]

export function areRefusing(keys: Uint8Array): boolean {
  return keys.some((key) => refusing.includes(key))
}

/** Only a single key says yes: several are a paste, or a reply of the terminal. Undefined: no answer. */
export function answerIn(keys: Uint8Array, offered: readonly Approval[]): Approval | undefined {
  if (areRefusing(keys)) return 'no'
  const answer = keys.length === 1 ? answers[String.fromCharCode(keys[0] ?? 0).toLowerCase()] : undefined
  return answer && offered.includes(answer) ? answer : undefined
}
