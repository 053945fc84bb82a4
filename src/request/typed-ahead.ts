/** What a terminal takes as editing of a line that it reads itself (termios(3), canonical mode), by its usual keys. */
const erase = '\x08\x7f'
const wordErase = '\x17'
const lineKill = '\x15'
/** Not kept in its queue: end of file, literal next, reprint, and what is a signal. */
const unkept = '\0\x03\x04\x12\x16\x1a\x1c'
/** One character of UTF-8, a byte each. */
const lastCharacter = /(?:[\xc0-\xff][\x80-\xbf]*|[^\n])$/

/**
 * Whether a terminal that was typed this can have so much of it unread. Bytes, one a character. What a line reports as unread
 * becomes lines of the shell: a program that forges the report gets nothing typed that the user did not type.
 */
export function canBeUnread(unread: string, typed: string): boolean {
  const lines = typed.replaceAll('\r', '\n')
  const wanted = unread.replaceAll('\r', '\n')
  return lines.endsWith(wanted) || edited(lines).endsWith(wanted)
}

function edited(typed: string): string {
  let text = ''
  for (const key of typed) {
    if (erase.includes(key)) text = text.replace(lastCharacter, '')
    else if (key === wordErase) text = text.replace(/[^\s]*[^\S\n]*$/, '')
    else if (key === lineKill) text = text.replace(/[^\n]*$/, '')
    else if (!unkept.includes(key)) text += key
  }
  return text
}
