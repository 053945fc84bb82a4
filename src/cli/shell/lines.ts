import { readdirSync } from 'node:fs'
import { dirname, resolve, sep } from 'node:path'
import { createInterface } from 'node:readline'
import { showsAsItIs } from '../../result/explain-shell.ts'

/** Where the lines of a shell come from. */
export interface Lines {
  /** The next line; undefined: there is none any more. */
  next(prompt: string): Promise<string | undefined>
  /** Nothing more is wanted: who waits gets undefined. */
  close(): void
}

/** Lines of a pipe or a file. */
export class PipedLines implements Lines {
  readonly #interface = createInterface({ input: process.stdin, terminal: false })
  readonly #lines = this.#interface[Symbol.asyncIterator]()

  async next(): Promise<string | undefined> {
    const { value, done } = await this.#lines.next()
    return done ? undefined : value
  }

  close(): void {
    this.#interface.close()
  }
}

/** Lines that somebody types, with a history. Between two lines the terminal is the command's. */
export class TypedLines implements Lines {
  readonly #directory: () => string
  #history: string[] = []
  /** Lines that came at once, by a paste. */
  readonly #waiting: string[] = []
  #end: (() => void) | undefined
  #closed = false

  /** @param directory what paths are completed from */
  constructor(directory: () => string) {
    this.#directory = directory
  }

  next(prompt: string): Promise<string | undefined> {
    if (this.#closed) return Promise.resolve(undefined)
    if (this.#waiting.length > 0) return Promise.resolve(this.#waiting.shift())
    return new Promise((resolve) => this.#ask(prompt, resolve))
  }

  close(): void {
    this.#closed = true
    this.#end?.()
  }

  #ask(prompt: string, answer: (line: string | undefined) => void): void {
    const { stdin: input, stdout: output } = process
    const typed = createInterface({
      input,
      output,
      prompt,
      history: this.#history,
      completer: (line: string) => pathOffers(line, this.#directory()),
    })
    let line: string | undefined
    let given = false
    this.#end = () => typed.close()
    typed.on('history', (history) => {
      this.#history = history
    })
    typed.on('line', (text) => {
      if (given) return this.#waiting.push(text)
      line = text
      given = true
      return typed.close()
    })
    // As in other shells the line is given up.
    typed.on('SIGINT', () => {
      output.write('^C\n')
      line = ''
      typed.close()
    })
    typed.on('close', () => {
      this.#end = undefined
      // Lines of the same paste are told after the one that closed.
      setImmediate(() => answer(line))
    })
    typed.prompt()
  }
}

/** What the last word of a line could be completed to, as readline wants it. */
export function pathOffers(line: string, directory: string): [string[], string] {
  const word = /(?:[^\s\\]|\\.)*$/.exec(line)?.[0] ?? ''
  const plain = word.replace(/\\(.)/g, '$1')
  const begun = plain.slice(plain.lastIndexOf(sep) + 1)
  const where = resolve(directory, plain === begun ? '.' : dirname(`${plain}x`))
  const before = plain.slice(0, plain.length - begun.length)
  return [namesIn(where, begun).map((name) => (before + name).replace(/[^\w./@%+:,=^-]/gu, '\\$&')), word]
}

function namesIn(directory: string, begun: string): readonly string[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter(
        ({ name }) => name.startsWith(begun) && (begun !== '' || !name.startsWith('.')) && showsAsItIs(name),
      )
      .map((entry) => (entry.isDirectory() ? `${entry.name}${sep}` : entry.name))
  } catch {
    // What cannot be listed has nothing to offer.
    return []
  }
}
