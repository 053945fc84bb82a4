/** The usual keys by which a terminal edits the line being typed (termios(3), canonical mode). */
const erase = '\x08\x7f'
const wordErase = '\x17'
const lineKill = '\x15'
/** Keys that do not stay in the terminal's queue: end of file, literal next, reprint, and signals. */
const unkept = '\0\x03\x04\x12\x16\x1a\x1c'
const lastCharacter = /(?:[\xc0-\xff][\x80-\xbf]*|[^\n])$/

/**
 * Whether `unread` can be the unread part of what was typed into a terminal; one byte per character. Input
 * that a line reports as unread becomes lines of the shell: a program that forges the report can have nothing
 * run that the user did not type.
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
