import { TextDecoder } from 'node:util'

/** A NUL byte this early makes it binary, as git and grep judge. */
const binaryProbeBytes = 8192

export function looksBinary(head: Uint8Array): boolean {
  return head.subarray(0, binaryProbeBytes).includes(0)
}

/** The text of bytes whose first or last character may be cut: partial characters at a cut are left out, not replaced. */
export function decode(
  bytes: Uint8Array,
  cut: { readonly start?: boolean; readonly end?: boolean } = {},
): string {
  const from = cut.start ? firstWholeCharacter(bytes) : 0
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  // `stream` keeps an unfinished character at the end back instead of replacing it.
  return decoder.decode(bytes.subarray(from), { stream: cut.end ?? false })
}

/** UTF-8 continuation bytes are 10xxxxxx; a character has at most three. */
function firstWholeCharacter(bytes: Uint8Array): number {
  let at = 0
  while (at < 3 && at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++
  return at
}

/** Judges a stream of chunks: whether all of it is well-formed UTF-8. */
export class Utf8Judge {
  #decoder: TextDecoder | null = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

  add(chunk: Uint8Array): void {
    this.#try((decoder) => decoder.decode(chunk, { stream: true }))
  }

  /** After the last chunk. */
  get wellFormed(): boolean {
    this.#try((decoder) => decoder.decode())
    return this.#decoder !== null
  }

  #try(decode: (decoder: TextDecoder) => void): void {
    if (!this.#decoder) return
    try {
      decode(this.#decoder)
    } catch {
      // TypeError: the bytes are not UTF-8. That is the judgement, not a failure.
      this.#decoder = null
    }
  }
}
