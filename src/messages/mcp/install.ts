/** Sentences of `vitrine mcp install`. */

export function installUsage(clients: readonly string[]): string {
  return `Say for which client: vitrine mcp install ${clients.join('|')} [--mode read|write|both] [--approve client|elicit|none] [--write].`
}

export const printAndWrite = 'Give --print or --write, not both.'

export const notInstalled =
  'vitrine runs from the cache of npx, which npm may remove. Install it (npm i -g ./vitrine-VERSION.tgz) and run this again.'

/** Beside the printed entry. */
export function whereLine(file: string): string {
  return `this belongs into ${file}; --write puts it there`
}

export function ownCommandLine(line: string): string {
  return `or run: ${line}`
}

export function writtenText(file: string, backup: string | undefined): string {
  const copy = backup === undefined ? '' : `; what was there is in ${backup}`
  return `${file}: written${copy}. Restart the client.`
}

export function unchangedText(file: string): string {
  return `${file}: has it already`
}

export function failedText(file: string, reason: string): string {
  return `${file} is left as it is: ${reason}. Put the entry in by hand: the same command without --write prints it.`
}
