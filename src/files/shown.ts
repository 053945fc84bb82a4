import { quoted } from '../base/text.ts'
import type { Names } from './runner.ts'
import { linesOf } from './text.ts'

/** Of a longer text a question shows the beginning, and names the rest by its digest, so that a yes allows this one only. */
const mostLines = 40
const mostCharacters = 4000

export function shownWrite(names: Names, content: string | Uint8Array): string {
  return [...heading(names), ...part('+', content)].join('\n')
}

export function shownEdit(
  names: Names,
  { old, new: next, all }: { old: string; new: string; all: boolean },
): string {
  return [...heading(names), ...(all ? ['each'] : []), ...part('-', old), ...part('+', next)].join('\n')
}

function heading(names: Names): string[] {
  return [names.map(quoted).join(' ')]
}

function part(mark: string, content: string | Uint8Array): string[] {
  const text = typeof content === 'string' ? content : Buffer.from(content).toString('latin1')
  const lines = linesOf(text.slice(0, mostCharacters)).slice(0, mostLines)
  const shown = lines.map((line) => `${mark} ${line.replace(/\r?\n$/, '')}`)
  if (lines.join('') === text && typeof content === 'string') return shown
  // Loaded late: it costs start-up time.
  const { createHash } = process.getBuiltinModule('node:crypto')
  const digest = createHash('sha256').update(content).digest('hex')
  return [...shown, `${mark} ... ${Buffer.byteLength(content)} bytes in all, SHA-256 ${digest}`]
}
