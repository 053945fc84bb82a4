import { execFile } from 'node:child_process'

/** How dash, bash, busybox and similar shells report a command that continues after its last line. */
const goesOn =
  /end of file unexpected|unexpected end of file|unexpected EOF|unterminated quoted|EOF in backquote|missing '}'/i

/** Whether a line continues (open quote, `for ... do`, here-document): asks `sh -n`, which runs nothing. */
export async function isUnfinished(command: string): Promise<boolean> {
  if (/(?:^|[^\\])(?:\\\\)*\\$/.test(command)) return true
  const { valid, complaint } = await read(command)
  if (!valid) return goesOn.test(complaint)
  // An open here-document swallows the parenthesis; otherwise it is a syntax error.
  return command.includes('<<') && (await read(`${command}\n)`)).valid
}

interface Reading {
  readonly valid: boolean
  /** The first line of sh's error message. */
  readonly complaint: string
}

/** If sh cannot be started there is no complaint: the command is run and reports the problem. */
function read(command: string): Promise<Reading> {
  return new Promise((resolve) => {
    const options = { env: { LC_ALL: 'C' }, timeout: 1000 }
    try {
      execFile('/bin/sh', ['-n', '-c', command], options, (error, _stdout, stderr) =>
        resolve({ valid: error === null, complaint: stderr.split('\n', 1)[0] ?? '' }),
      )
    } catch {
      // Too long for one argument, or a NUL byte: running the command is refused for that reason.
      resolve({ valid: false, complaint: '' })
    }
  })
}
