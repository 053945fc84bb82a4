/** Sentences of the tools that read the scratchpad. */

export const nothingSaved = 'Nothing has been saved in this session.'

/** The line below a range of lines or bytes. */
export function rangeLine(
  unit: 'lines' | 'bytes',
  part: { readonly from: number; readonly to: number; readonly total: number; readonly cut: boolean },
  earlierMs?: number | undefined,
): string {
  const { from, to, total, cut } = part
  if (to < from) return `[no ${unit} there: ${total} ${unit} in all]`
  const more = to < total ? `; next: offset ${to}` : ''
  const broken = cut && unit === 'lines' ? `; line ${to} is cut: read it with unit "bytes"` : ''
  const earlier =
    earlierMs === undefined ? '' : `; saved by an earlier session on ${new Date(earlierMs).toISOString()}`
  return `[${unit} ${from} to ${to} of ${total}${more}${broken}${earlier}]`
}

export function grepLine(source: string, ignoreCase: boolean, matches: number, shown: number): string {
  const pattern = `/${source}/${ignoreCase ? 'i' : ''}`
  if (matches === 0) return `[no line matches ${pattern}]`
  const lines = `${matches} ${matches === 1 ? 'line matches' : 'lines match'} ${pattern}`
  return shown < matches ? `[${lines}; the first ${shown} are shown: narrow the pattern]` : `[${lines}]`
}

export function unknownNameText(name: string, known: readonly string[]): string {
  const list = known.length === 0 ? 'nothing has been saved' : `there is ${known.join(', ')}`
  return `Nothing is saved under ${JSON.stringify(name)} in this session: ${list}.`
}

export function binaryEntryText(name: string, bytes: number, path: string): string {
  return `Scratchpad "${name}" is binary (${bytes} bytes), which is not shown as text. Look at the file with a program, for example: xxd ${path} | head`
}

export function badPatternText(reason: string): string {
  return `grep takes RE2 syntax, without lookaround and backreferences; ${reason}. Escape characters that have a meaning (\\. \\( \\[ \\*).`
}

export function patternTooLong(most: number): string {
  return `this pattern is longer than ${most} characters`
}

export const patternTooLarge = 'this pattern repeats too much (a{1000} inside of another repetition)'

export function slowPatternText(afterMs: number): string {
  return `The search took over ${afterMs} ms and was given up: use a simpler pattern, or read a range with offset and limit.`
}

export const rangeAndPattern = 'Give either grep, or offset and limit, not both.'

export function tooLargeText(bytes: number, limit: number): string {
  return `This resource has ${bytes} bytes, more than the ${limit} that are sent at once: read it in parts with the tool read_scratchpad.`
}

export const noSuchResource = 'Nothing is saved at this address in this session.'
