/** The words of a text: a list that need not stand one in a line. */
export function words(text: string): string[] {
  return text.trim().split(/\s+/)
}
