import { execFile } from 'node:child_process'

/** How dash, bash, busybox and similar shells report a command that continues after its last line. */
const goesOn =
  /end of file unexpected|unexpected end of file|unexpected EOF|unterminated quoted|EOF in backquote|missing '}'/i

/** What a command leaves open at its end: a here-document, or something else (a quote, `for ... do`). */
type Open = 'here-document' | 'other'

/** The lines of one command. */
export class Command {
  text: string
  readonly #shell: string
  /** The text without quotes when the shell was last asked. */
  #asked = ''
  #open: Open | undefined

  /** @param shell the path of the shell that reads it */
  constructor(line: string, shell: string) {
    this.text = line
    this.#shell = shell
  }

  add(line: string): void {
    this.text += `\n${line}`
    // Asking the shell takes milliseconds, and most lines of a here-document cannot be the word that ends it.
    if (this.#open === 'here-document' && !this.#asked.includes(unquoted(line.replace(/^\t+/, '')))) return
    this.#open = undefined
  }

  /** Whether it continues (open quote, `for ... do`, here-document): asks the shell with -n, which runs nothing. */
  async isUnfinished(): Promise<boolean> {
    if (this.#open === undefined) {
      this.#asked = unquoted(this.text)
      this.#open = await whatIsOpen(this.text, this.#shell)
    }
    return this.#open !== undefined
  }
}

function unquoted(text: string): string {
  return text.replace(/\\\n|['"\\]/g, '')
}

async function whatIsOpen(command: string, shell: string): Promise<Open | undefined> {
  if (/(?:^|[^\\])(?:\\\\)*\\$/.test(command)) return 'other'
  const { valid, complaint } = await read(command, shell)
  if (!valid) return goesOn.test(complaint) ? 'other' : undefined
  // An open here-document swallows the parenthesis; otherwise it is a syntax error.
  const isOpen = command.includes('<<') && (await read(`${command}\n)`, shell)).valid
  return isOpen ? 'here-document' : undefined
}

interface Reading {
  readonly valid: boolean
  /** The first line of sh's error message. */
  readonly complaint: string
}

/** If the shell cannot be started there is no complaint: the command is run and reports the problem. */
function read(command: string, shell: string): Promise<Reading> {
  return new Promise((resolve) => {
    const options = { env: { LC_ALL: 'C' }, timeout: 10_000 }
    const sh = execFile(shell, ['-n'], options, (error, _stdout, stderr) =>
      resolve({ valid: error === null, complaint: stderr.split('\n', 1)[0] ?? '' }),
    )
    // An argument takes at most 128 KiB. Writing fails where sh has stopped reading at a syntax error.
    sh.stdin?.on('error', () => {}).end(command)
  })
}
