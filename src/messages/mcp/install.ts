/** Sentences of `vitrine mcp install`. */

export function installUsage(clients: readonly string[]): string {
  const server =
    '[--mode MODES] [--approve client|elicit|none] [--network | --allow-host HOST] [--private-tmp] [--shell SHELL] [--backend BACKEND]'
  return `Choose a client: vitrine mcp install ${clients.join('|')} ${server} [--print | --write].`
}

export const printAndWrite = 'Use either --print or --write, not both.'

export const notInstalled =
  'vitrine runs from the cache of npx, which npm may delete. Install it (npm i -g ./vitrine-VERSION.tgz), then run this again.'

/** Printed after the entry. */
export function whereLine(file: string): string {
  return `put this into ${file}, or let --write do it`
}

export function ownCommandLine(line: string): string {
  return `or run: ${line}`
}

export function writtenText(file: string, backup: string | undefined): string {
  const copy = backup === undefined ? '' : `; the previous version is in ${backup}`
  return `${file}: written${copy}. Restart the client.`
}

export function unchangedText(file: string): string {
  return `${file}: already has this entry`
}

export function failedText(file: string, reason: string): string {
  return `${file} is unchanged: ${reason.replace(/\.$/, '')}. Add the entry by hand; the same command without --write prints it.`
}

export const noObjectInFile = 'it does not contain an object'

export function noObjectAt(key: string): string {
  return `"${key}" is not an object`
}

export function notEditable(key: string): string {
  return `"${key}" is written in a way that cannot be edited safely`
}

export const changedMeanwhile = 'another program changed it in the meantime; run the command again'

export const noFile = 'it is not a regular file'

export const noUtf8 = 'it is not text in UTF-8'
