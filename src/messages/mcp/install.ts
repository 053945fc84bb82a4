/** Sentences of `vitrine mcp install`. */

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
