import { bytesText } from '../../base/text.ts'

/** Messages of the tools that read the scratchpad. */

export const nothingSaved = 'This session has no saved outputs.'

export function rangeLine(
  unit: 'lines' | 'bytes',
  part: { readonly from: number; readonly to: number; readonly total: number; readonly cut: boolean },
  earlierMs?: number | undefined,
): string {
  const { from, to, total, cut } = part
  if (to < from) return `[no ${unit} in this range; ${total} ${unit} in total]`
  const more = to < total ? `; next: offset ${to}` : ''
  const broken = cut && unit === 'lines' ? `; line ${to} is cut off: read it with unit "bytes"` : ''
  const earlier =
    earlierMs === undefined ? '' : `; saved by an earlier session on ${new Date(earlierMs).toISOString()}`
  return `[${unit} ${from} to ${to} of ${total}${more}${broken}${earlier}]`
}

export function grepLine(source: string, ignoreCase: boolean, matches: number, shown: number): string {
  const pattern = `/${source}/${ignoreCase ? 'i' : ''}`
  if (matches === 0) return `[no line matches ${pattern}]`
  const lines = `${matches} ${matches === 1 ? 'line matches' : 'lines match'} ${pattern}`
  return shown < matches ? `[${lines}; the first ${shown} are shown; narrow the pattern]` : `[${lines}]`
}

export function unknownNameText(name: string, known: readonly string[]): string {
  const list = known.length === 0 ? 'It has no saved outputs' : `Saved: ${known.join(', ')}`
  return `This session has no saved output named ${JSON.stringify(name)}. ${list}.`
}

export function binaryEntryText(name: string, bytes: number, path: string): string {
  return `Scratchpad "${name}" is binary (${bytesText(bytes)}) and not shown as text. Inspect the file with a program, for example: xxd ${path} | head`
}

export function badPatternText(reason: string): string {
  return `grep takes RE2 syntax, without lookaround and backreferences; ${reason}. Escape special characters (\\. \\( \\[ \\*).`
}

export function patternTooLong(most: number): string {
  return `this pattern is longer than ${most} characters`
}

export const patternTooLarge = 'this pattern repeats too much (a{1000} inside another repetition)'

export function slowPatternText(afterMs: number): string {
  return `The search exceeded ${afterMs} ms. Use a simpler pattern, or read a range with offset and limit.`
}

export const rangeAndPattern = 'Use either grep, or offset and limit, not both.'

export function tooLargeText(bytes: number, limit: number): string {
  return `This resource has ${bytes} bytes; at most ${limit} can be sent at once. Read it in parts with the tool read_scratchpad.`
}

export const noSuchResource = 'This session has no saved output at this address.'
