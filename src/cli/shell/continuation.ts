import { execFile } from 'node:child_process'

/** What dash, bash, busybox and their kin say of a command that goes on behind its last line. */
const goesOn =
  /end of file unexpected|unexpected end of file|unexpected EOF|unterminated quoted|EOF in backquote|missing '}'/i

/**
 * Whether a command goes on in the next line: an open quote, `for … do`, a here-document, a backslash at the end. sh itself
 * reads it (`sh -n` runs nothing).
 */
export async function isUnfinished(command: string): Promise<boolean> {
  if (/(?:^|[^\\])(?:\\\\)*\\$/.test(command)) return true
  const { valid, complaint } = await read(command)
  if (!valid) return goesOn.test(complaint)
  // An open here-document takes every line; else the parenthesis is an error.
  return command.includes('<<') && (await read(`${command}\n)`)).valid
}

interface Reading {
  readonly valid: boolean
  /** The first line of what sh says. */
  readonly complaint: string
}

/** A sh that cannot be started has no complaint: the command is run, and that tells. */
function read(command: string): Promise<Reading> {
  return new Promise((resolve) => {
    const options = { env: { LC_ALL: 'C' }, timeout: 1000 }
    try {
      execFile('/bin/sh', ['-n', '-c', command], options, (error, _stdout, stderr) =>
        resolve({ valid: error === null, complaint: stderr.split('\n', 1)[0] ?? '' }),
      )
    } catch {
      // Too long for one argument, or a NUL byte: the command is refused with that reason.
      resolve({ valid: false, complaint: '' })
    }
  })
}
