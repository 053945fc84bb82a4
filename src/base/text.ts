import { TextDecoder } from 'node:util'

/** A NUL byte among the first bytes means binary, as for git and grep. */
const binaryProbeBytes = 8192

export function looksBinary(head: Uint8Array): boolean {
  const at = head.indexOf(0)
  return at >= 0 && at < binaryProbeBytes
}

/** Decodes UTF-8 that may be cut at either end: a partial character at a cut is dropped, not replaced. */
export function decode(
  bytes: Uint8Array,
  cut: { readonly start?: boolean; readonly end?: boolean } = {},
): string {
  if (bytes.length === 0) return ''
  const from = cut.start ? firstWholeCharacter(bytes) : 0
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  // `stream` holds an incomplete character at the end back instead of replacing it.
  return decoder.decode(bytes.subarray(from), { stream: cut.end ?? false })
}

/** Continuation bytes are 10xxxxxx; a character has at most three. */
function firstWholeCharacter(bytes: Uint8Array): number {
  let at = 0
  while (at < 3 && at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++
  return at
}

export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

export function withLine(text: string, line: string): string {
  return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${line}`
}

const units = ['B', 'kB', 'MB', 'GB', 'TB']

/** `1.2 MB`: decimal units, one place behind the point. */
export function sizeText(bytes: number): string {
  let value = bytes
  let unit = 0
  for (; value >= 999.95 && unit < units.length - 1; unit++) value /= 1000
  return unit === 0 ? `${bytes} B` : `${value.toFixed(1)} ${units[unit]}`
}

export function bytesText(bytes: number): string {
  return bytes === 1 ? '1 byte' : `${bytes} bytes`
}

export function words(text: string): string[] {
  return text.trim().split(/\s+/)
}

/** Whether a text has the name by itself, and not as a part of another name. */
export function isNamed(name: string, text: string): boolean {
  const isPart = (character = ' ') => /[\p{L}\p{N}_-]/u.test(character)
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const after = text.slice(at + name.length)
    if (!isPart(text[at - 1]) && !isPart(after[0]) && !/^\.[\p{L}\p{N}]/u.test(after)) return true
  }
  return false
}

const named: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Escapes characters by which text could move the cursor, hide itself or change the reading direction. */
export function visible(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu,
    (character) => named[character] ?? escaped(character),
  )
}

/** At most `most` characters of a text, and dots where it goes on. */
export function clipped(text: string, most: number): string {
  const shown = visible(text)
  return shown.length > most ? `${shown.slice(0, most)}...` : shown
}

/** Escapes invisible characters and unusual blanks, too: for text that a person decides by. */
export function whollyVisible(text: string): string {
  return visible(text).replace(
    /(?! )[\p{Zs}\p{Default_Ignorable_Code_Point}\u2800]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
}
