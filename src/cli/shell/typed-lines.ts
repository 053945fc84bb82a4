import { createInterface, type Interface } from 'node:readline'
import { Readable } from 'node:stream'
import { searchPrompt } from '../../messages/cli/shell.ts'
import type { History } from './history.ts'
import type { LineSource } from './lines.ts'
import { offersFor, type SearchPath } from './offers.ts'
import { Search, type SearchStep } from './search.ts'

const searchKey = 0x12
/** Carriage return and line feed: Enter, and the end of a pasted line. */
const lineEnds = [0x0d, 0x0a]
/** Moves to the first column and erases the rest of the screen: ECMA-48, ED. */
const erase = '\r\u001b[J'

/** The editor sees only the keys of its line: the terminal stays raw, so Ctrl+C does not signal vitrine. */
class Keys extends Readable {
  /** The line editor checks it. */
  readonly isTTY = true
  setRawMode(raw: boolean): this {
    if (raw) process.stdin.setRawMode(true)
    return this
  }

  override _read(): void {}
}

/**
 * Typed or pasted lines, with a history. Buffers further lines of a paste and keys typed while a command ran.
 * Between two lines the terminal belongs to the command.
 */
export class TypedLines implements LineSource {
  readonly #place: () => SearchPath
  readonly #history: History
  #waiting: Buffer = Buffer.alloc(0)
  #editing: Editing | undefined
  #closed = false

  /** @param place where completion looks */
  constructor(place: () => SearchPath, history: History) {
    this.#place = place
    this.#history = history
  }

  async next(prompt: string): Promise<string | null | undefined> {
    if (this.#closed) return undefined
    const editing = new Editing(prompt, this.#history, this.#place)
    this.#editing = editing
    const { stdin } = process
    const typed = (bytes: Buffer) => this.unread(editing.take(Buffer.concat([this.#takeWaiting(), bytes])))
    const gone = () => editing.end(undefined)
    stdin.on('data', typed).on('end', gone).on('error', gone)
    typed(Buffer.alloc(0))
    if (!editing.isOver) stdin.resume()
    const line = await editing.line
    stdin.pause()
    stdin.off('data', typed).off('end', gone).off('error', gone)
    this.#editing = undefined
    if (typeof line === 'string') this.#history.add(line)
    return line
  }

  /** Returns typed bytes to the buffer for the next lines. */
  unread(bytes: Uint8Array): void {
    this.#waiting = Buffer.concat([this.#waiting, bytes])
  }

  /** Restores the terminal's original mode, for a command that shares it. */
  share(): void {
    process.stdin.setRawMode(false)
  }

  /** Discards typed-ahead input, as a terminal does on an interrupt. */
  forget(): void {
    this.#takeWaiting()
  }

  close(): void {
    this.#closed = true
    this.#editing?.end(undefined)
    this.share()
  }

  #takeWaiting(): Buffer {
    const waiting = this.#waiting
    this.#waiting = Buffer.alloc(0)
    return waiting
  }
}

class Editing {
  readonly line: Promise<string | null | undefined>
  isOver = false
  readonly #keys = new Keys()
  readonly #editor: Interface
  readonly #history: History
  #search: Search | undefined
  #answer: (line: string | null | undefined) => void = () => {}

  constructor(prompt: string, history: History, place: () => SearchPath) {
    this.#history = history
    this.line = new Promise((resolve) => {
      this.#answer = resolve
    })
    this.#editor = createInterface({
      input: this.#keys,
      output: process.stdout,
      terminal: true,
      prompt,
      history: [...history.lines],
      historySize: history.lines.length + 1,
      completer: (line: string) => offersFor(line, place()),
    })
    this.#editor.on('line', (line) => this.end(line))
    // As in other shells, discards the line.
    this.#editor.on('SIGINT', () => {
      process.stdout.write('^C\n')
      this.end(null)
    })
    // Ignored: if vitrine stopped, no process would handle its terminal.
    this.#editor.on('SIGTSTP', () => {})
    this.#editor.on('close', () => this.end(undefined))
    process.stdout.write(freshLine())
    this.#editor.prompt()
  }

  /** Takes keys up to the end of the line; returns the rest. */
  take(keys: Buffer): Buffer {
    let rest = keys
    while (rest.length > 0 && !this.isOver) {
      const length = this.#search || rest[0] === searchKey ? 1 : partLength(rest)
      const part = rest.subarray(0, length)
      rest = rest.subarray(length)
      if (part[0] === searchKey && !this.#search) this.#showSearch(new Search(this.#history.lines))
      else if (this.#search) this.#searchOn(this.#search, part)
      else this.#keys.emit('data', part)
    }
    return rest
  }

  end(line: string | null | undefined): void {
    if (this.isOver) return
    this.isOver = true
    this.#editor.close()
    this.#answer(line)
  }

  #searchOn(search: Search, key: Buffer): void {
    const step = search.press(key[0] ?? 0)
    if (step === 'stays') this.#showSearch(search)
    else this.#endSearch(search, step, key)
  }

  #endSearch(search: Search, step: SearchStep, key: Buffer): void {
    this.#search = undefined
    process.stdout.write(erase)
    if (step === 'taken') this.#replace(search.match ?? '')
    this.#editor.prompt(true)
    if (step === 'taken') this.#keys.emit('data', key)
  }

  #showSearch(search: Search): void {
    this.#search = search
    process.stdout.write(erase + searchPrompt(search.text, search.match))
  }

  #replace(line: string): void {
    this.#editor.write(null, { ctrl: true, name: 'e' })
    this.#editor.write(null, { ctrl: true, name: 'u' })
    this.#editor.write(line)
  }
}

/** A row of blanks: after an unfinished line they wrap to the next row, on an empty row they stay. */
function freshLine(): string {
  return `${' '.repeat(process.stdout.columns)}\r`
}

/** How many bytes to give the editor at once: up to the end of a line or the next search key. */
function partLength(keys: Buffer): number {
  const end = keys.findIndex((byte) => lineEnds.includes(byte))
  const search = keys.indexOf(searchKey)
  const isPair = keys[end] === lineEnds[0] && keys[end + 1] === lineEnds[1]
  const length = end < 0 ? keys.length : end + (isPair ? 2 : 1)
  return search > 0 && search < length ? search : length
}
