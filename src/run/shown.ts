import { isUtf8 } from 'node:buffer'
import { closeSync } from 'node:fs'
import { errorReason } from '../base/errno.ts'
import { decode } from '../base/text.ts'
import type { Encoding, Result } from '../base/types.ts'
import { omittedLine, unsavedLine } from '../messages/refusal.ts'
import type { Scratchpad } from '../scratchpad/scratchpad.ts'
import type { Collected, View } from './collect.ts'

/** Everything if it fits, else head and tail around a line that counts the omitted bytes. */
interface ShownOutput<Output> {
  readonly output: Output
  readonly omittedBytes: number
}

/** `inlineChars`: UTF-16 code units; 0 shows nothing. `notSaved`: why omitted output is not stored. */
function shownText(view: View, inlineChars: number, notSaved?: string): ShownOutput<string> {
  const whole = view.omitted === 0
  // More bytes than this always exceed the limit, so they need no decoding.
  if (whole && view.head.length <= inlineChars * bytesPerUnit) {
    const output = decode(view.head)
    if (output.length <= inlineChars) return { output, omittedBytes: 0 }
  }
  if (inlineChars === 0) return { output: '', omittedBytes: bytesIn(view) }
  const half = Math.floor(inlineChars / 2)
  const end = whole ? view.head : view.tail
  const reach = half * bytesPerUnit
  const first = headOf(view.head.subarray(0, reach), half)
  const last = tailOf(end.subarray(Math.max(0, end.length - reach)), half)
  const omittedBytes = bytesIn(view) - first.length - last.length
  const mark = omittedLine(omittedBytes, notSaved)
  const head = decode(first)
  return { output: `${head}${head.endsWith('\n') ? mark.slice(1) : mark}${decode(last)}`, omittedBytes }
}

/** Like `shownText` for undecoded bytes, limited to `inlineBytes`. */
function shownBytes(view: View, inlineBytes: number, notSaved?: string): ShownOutput<Buffer> {
  const whole = view.omitted === 0
  if (whole && view.head.length <= inlineBytes) return { output: view.head, omittedBytes: 0 }
  if (inlineBytes === 0) return { output: Buffer.alloc(0), omittedBytes: bytesIn(view) }
  const half = Math.floor(inlineBytes / 2)
  const end = whole ? view.head : view.tail
  const first = view.head.subarray(0, half)
  const last = end.subarray(Math.max(0, end.length - half))
  const omittedBytes = bytesIn(view) - first.length - last.length
  const mark = Buffer.from(omittedLine(omittedBytes, notSaved))
  return { output: Buffer.concat([first, mark, last]), omittedBytes }
}

/** UTF-8 needs at most this many bytes per UTF-16 code unit. */
const bytesPerUnit = 3

function bytesIn({ head, tail, omitted }: View): number {
  return head.length + tail.length + omitted
}

/** Cut at a line end. */
function headOf(bytes: Buffer, characters: number): Buffer {
  const text = decode(bytes, { end: true })
  const shown = text.slice(0, characters).replace(/[\uD800-\uDBFF]$/, '')
  const cut = bytes.subarray(0, lengthIn(bytes, text, shown))
  const bound = cut.lastIndexOf('\n') + 1
  return isWorthCutting(bound, cut.length) ? cut.subarray(0, bound) : cut
}

/** Cut at a line start. */
function tailOf(bytes: Buffer, characters: number): Buffer {
  const text = decode(bytes, { start: true })
  const shown = (characters > 0 ? text.slice(-characters) : '').replace(/^[\uDC00-\uDFFF]/, '')
  const cut = bytes.subarray(bytes.length - lengthIn(bytes, text, shown))
  const bound = cut.indexOf('\n') + 1
  return isWorthCutting(cut.length - bound, cut.length) ? cut.subarray(bound) : cut
}

/** Invalid bytes decode to three bytes each: where the text is longer, a character counts as one byte. */
function lengthIn(bytes: Buffer, text: string, part: string): number {
  return Buffer.byteLength(text) > bytes.length ? part.length : Buffer.byteLength(part)
}

/** Cuts at a line only if at least half remains, so part of a very long line is shown. */
function isWorthCutting(left: number, length: number): boolean {
  return left < length && left * 2 >= length
}

/** What a result shows of its output. */
export interface OutputParts {
  readonly collected: Collected
  readonly saved: Saved
  /** Bytes where they are not decoded. */
  readonly inlineChars: number
}

type Streams<Output extends string | Buffer> = Pick<
  Result<Output>,
  'output' | 'stdout' | 'stderr' | 'omittedBytes' | 'truncated'
>

function streamsOf<Output extends string | Buffer>(
  collected: Collected,
  show: (view: View) => ShownOutput<Output>,
): Streams<Output> {
  const { output, omittedBytes } = show(collected.output)
  const [stdout, stderr] = [show(collected.stdout), show(collected.stderr)]
  const truncated = omittedBytes + stdout.omittedBytes + stderr.omittedBytes > 0
  return { output, omittedBytes, truncated, stdout: stdout.output, stderr: stderr.output }
}

const errorChars = 30_000

export function errorsOf({ stderr, output }: Collected): string {
  return shownText(stderr, errorChars).output || shownText(output, errorChars).output
}

export function textsOf({ collected, saved, inlineChars }: OutputParts): Streams<string> {
  const texts = streamsOf(collected, (view) => shownText(view, inlineChars, saved.notSaved))
  const { unsaved, scratchpad } = saved
  if (!unsaved) return texts
  const isText = isUtf8(unsaved.bytes)
  const rest = isText ? decode(unsaved.bytes) : unsaved.bytes.toString('base64')
  const line = unsavedLine(unsaved.bytes.length, unsaved.reason, isText ? 'whole' : 'in base64')
  return { ...texts, output: `${scratchpad ? texts.output : ''}${line}${rest}`, omittedBytes: 0 }
}

export function bytesOf({ collected, saved, inlineChars }: OutputParts): Streams<Buffer> {
  const streams = streamsOf(collected, (view) => shownBytes(view, inlineChars, saved.notSaved))
  const { unsaved, scratchpad } = saved
  if (!unsaved) return streams
  const line = Buffer.from(unsavedLine(unsaved.bytes.length, unsaved.reason, 'whole'))
  const shown = scratchpad ? [streams.output, line] : [line]
  return { ...streams, output: Buffer.concat([...shown, unsaved.bytes]), omittedBytes: 0 }
}

export interface Saved {
  readonly scratchpad?: NonNullable<Result['scratchpad']>
  readonly unsaved?: NonNullable<Collected['unsaved']>
  readonly notSaved?: NonNullable<Collected['notSaved']>
}

/** Saves output if a name was given, it is too long to show, or it is not text but text is expected. */
export function saveOutput(
  scratchpad: Scratchpad,
  collected: Collected,
  name: string | undefined,
  shown: { readonly inlineChars: number; readonly encoding: Encoding },
): Saved {
  const { spilled, unsaved, whole, notSaved } = collected
  if (spilled) {
    closeSync(spilled.file.fd)
    if (unsaved && spilled.bytes === 0) {
      scratchpad.discard(spilled.file)
      return { unsaved }
    }
    const { name, path } = spilled.file
    return { scratchpad: { name, path, bytes: spilled.bytes }, ...(unsaved && { unsaved }) }
  }
  if (notSaved !== undefined) return { notSaved }
  if (!whole) return {}
  return name === undefined && isInline(whole, collected, shown) ? {} : saveWhole(scratchpad, name, whole)
}

function isInline(
  whole: Buffer,
  { stdout, stderr }: Collected,
  { inlineChars, encoding }: { readonly inlineChars: number; readonly encoding: Encoding },
): boolean {
  if (encoding === 'buffer') return whole.length <= inlineChars
  // What is not spilled is there whole.
  return isUtf8(stdout.head) && isUtf8(stderr.head) && decode(whole).length <= inlineChars
}

/** The command has already run, so if the disk is full its output goes inline, whole. */
function saveWhole(scratchpad: Scratchpad, name: string | undefined, bytes: Buffer): Saved {
  try {
    const file = scratchpad.save(name, bytes)
    return { scratchpad: { name: file.name, path: file.path, bytes: bytes.length } }
  } catch (error) {
    const reason = errorReason(error)
    return { unsaved: { bytes, reason } }
  }
}
