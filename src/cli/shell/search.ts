/** Ctrl+R and the keys that end the search, as terminal input bytes. */
const key = { again: 0x12, cancel: [0x03, 0x07], erase: [0x08, 0x7f], least: 0x20 } as const

export type SearchStep = 'stays' | 'cancelled' | 'taken'

/** Ctrl+R: finds the newest history line that contains the typed text. */
export class Search {
  readonly #lines: readonly string[]
  #typed = Buffer.alloc(0)
  #at = 0

  /** @param lines newest first */
  constructor(lines: readonly string[]) {
    this.#lines = lines
  }

  get text(): string {
    return this.#typed.toString()
  }

  /** undefined: no line contains the text. */
  get match(): string | undefined {
    return this.text === '' ? '' : this.#lines[this.#find(this.#at)]
  }

  /** Takes one byte. `taken`: the search is over, and the byte belongs to the line found. */
  press(byte: number): SearchStep {
    if (byte === key.again) this.#older()
    else if ((key.cancel as readonly number[]).includes(byte)) return 'cancelled'
    else if ((key.erase as readonly number[]).includes(byte)) this.#type(this.text.slice(0, -1))
    else if (byte < key.least) return 'taken'
    else this.#typed = Buffer.concat([this.#typed, Buffer.of(byte)])
    return 'stays'
  }

  #older(): void {
    const older = this.#find(this.#find(this.#at) + 1)
    if (older >= 0) this.#at = older
  }

  #type(text: string): void {
    this.#typed = Buffer.from(text)
    this.#at = 0
  }

  #find(from: number): number {
    return this.#lines.findIndex((line, index) => index >= from && line.includes(this.text))
  }
}
