/** The words of a text: a list that need not stand one in a line. */
export function words(text: string): string[] {
  return text.trim().split(/\s+/)
}

/** `NAME: TEXT`, a line each; `\n` in a text is a new line. */
export function namedLines(text: string): readonly (readonly [name: string, text: string])[] {
  const lines = text.trim().split('\n')
  return lines.map((line) => {
    const at = line.indexOf(': ')
    return [line.slice(0, at), line.slice(at + 2).replaceAll('\\n', '\n')]
  })
}
