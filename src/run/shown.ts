import { isUtf8 } from 'node:buffer'
import { closeSync } from 'node:fs'
import { errorReason } from '../base/errno.ts'
import { decode } from '../base/text.ts'
import type { AnyResult, Encoding } from '../base/types.ts'
import { omittedLine, unsavedLine } from '../messages/refusal.ts'
import type { Scratchpad } from '../scratchpad/scratchpad.ts'
import { bytesPerUnit, type Collected, type View } from './collect.ts'

/** How much of its output a result shows: UTF-16 code units, or bytes where they are not decoded. */
export interface Shown {
  readonly inlineChars: number
  readonly encoding: Encoding
}

interface ShownBytes {
  readonly bytes: Buffer
  readonly omittedBytes: number
}

type Streams = Pick<AnyResult, 'output' | 'stdout' | 'stderr' | 'omittedBytes' | 'truncated'>

export function streamsOf(collected: Collected, saved: Saved, form: Shown): Streams {
  const show = (view: View) => shownOf(view, form, saved.notSaved)
  const made = (bytes: Buffer) => (form.encoding === 'buffer' ? bytes : decode(bytes))
  const [output, stdout, stderr] = [show(collected.output), show(collected.stdout), show(collected.stderr)]
  const omitted = output.omittedBytes + stdout.omittedBytes + stderr.omittedBytes
  const streams = { truncated: omitted > 0, stdout: made(stdout.bytes), stderr: made(stderr.bytes) }
  const { unsaved, scratchpad } = saved
  if (!unsaved) return { output: made(output.bytes), omittedBytes: output.omittedBytes, ...streams }
  const whole = Buffer.concat([...(scratchpad ? [output.bytes] : []), ...withUnsaved(unsaved, form)])
  return { output: made(whole), omittedBytes: 0, ...streams }
}

function withUnsaved({ bytes, reason }: NonNullable<Saved['unsaved']>, { encoding }: Shown): Buffer[] {
  const isWhole = encoding === 'buffer' || isUtf8(bytes)
  const line = unsavedLine(bytes.length, reason, isWhole ? 'whole' : 'in base64')
  return [Buffer.from(line), isWhole ? bytes : Buffer.from(bytes.toString('base64'))]
}

const errorChars = 30_000

/** What the command said of errors. */
export function errorsOf({ stderr, output }: Collected): string {
  const form = { inlineChars: errorChars, encoding: 'utf8' } as const
  return decode(shownOf(stderr.head.length > 0 ? stderr : output, form).bytes)
}

/**
 * Everything if it fits, else head and tail around a line that counts the omitted bytes.
 * @param notSaved why omitted output is not stored
 */
function shownOf(view: View, form: Shown, notSaved?: string): ShownBytes {
  const isWhole = view.omitted === 0
  if (isWhole && fits(view.head, form)) return { bytes: view.head, omittedBytes: 0 }
  const bytes = view.head.length + view.tail.length + view.omitted
  if (form.inlineChars === 0) return { bytes: Buffer.alloc(0), omittedBytes: bytes }
  const half = Math.floor(form.inlineChars / 2)
  const [headOf, tailOf] = form.encoding === 'buffer' ? [firstBytes, lastBytes] : [firstText, lastText]
  const head = headOf(view.head, half)
  const tail = tailOf(isWhole ? view.head : view.tail, half)
  const omittedBytes = bytes - head.length - tail.length
  const line = omittedLine(omittedBytes, notSaved)
  const mark = Buffer.from(head.at(-1) === newline ? line.slice(1) : line)
  return { bytes: Buffer.concat([head, mark, tail]), omittedBytes }
}

/** A text has no more characters than bytes, and no fewer than a third of them. */
function fits(bytes: Buffer, { inlineChars, encoding }: Shown): boolean {
  if (bytes.length <= inlineChars) return true
  if (encoding === 'buffer' || bytes.length > inlineChars * bytesPerUnit) return false
  return decode(bytes).length <= inlineChars
}

const newline = 0x0a

function firstBytes(bytes: Buffer, count: number): Buffer {
  return bytes.subarray(0, count)
}

function lastBytes(bytes: Buffer, count: number): Buffer {
  return bytes.subarray(Math.max(0, bytes.length - count))
}

/** Cut at a line end. */
function firstText(all: Buffer, characters: number): Buffer {
  const bytes = firstBytes(all, characters * bytesPerUnit)
  const text = decode(bytes, { end: true })
  const shown = text.slice(0, characters).replace(/[\uD800-\uDBFF]$/, '')
  const cut = firstBytes(bytes, lengthIn(bytes, text, shown))
  const bound = cut.lastIndexOf(newline) + 1
  return isWorthCutting(bound, cut.length) ? firstBytes(cut, bound) : cut
}

/** Cut at a line start. */
function lastText(all: Buffer, characters: number): Buffer {
  const bytes = lastBytes(all, characters * bytesPerUnit)
  const text = decode(bytes, { start: true })
  const shown = (characters > 0 ? text.slice(-characters) : '').replace(/^[\uDC00-\uDFFF]/, '')
  const cut = lastBytes(bytes, lengthIn(bytes, text, shown))
  const left = cut.length - cut.indexOf(newline) - 1
  return isWorthCutting(left, cut.length) ? lastBytes(cut, left) : cut
}

/** Invalid bytes decode to three bytes each: where the text is longer, a character counts as one byte. */
function lengthIn(bytes: Buffer, text: string, part: string): number {
  return Buffer.byteLength(text) > bytes.length ? part.length : Buffer.byteLength(part)
}

/** Cuts at a line only if at least half remains, so part of a very long line is shown. */
function isWorthCutting(left: number, length: number): boolean {
  return left < length && left * 2 >= length
}

export interface Saved {
  readonly scratchpad?: NonNullable<AnyResult['scratchpad']>
  readonly unsaved?: NonNullable<Collected['unsaved']>
  readonly notSaved?: NonNullable<Collected['notSaved']>
}

/** Saves output if a name was given, it is too long to show, or it is not text but text is expected. */
export function saveOutput(
  scratchpad: Scratchpad,
  collected: Collected,
  given: string | undefined,
  form: Shown,
): Saved {
  const { spilled, unsaved, whole, notSaved } = collected
  if (notSaved !== undefined) return { notSaved }
  if (spilled) {
    const { file, bytes } = spilled
    closeSync(file.fd)
    if (!unsaved) return { scratchpad: { name: file.name, path: file.path, bytes } }
    if (bytes > 0) return { scratchpad: { name: file.name, path: file.path, bytes }, unsaved }
    scratchpad.discard(file)
    return { unsaved }
  }
  const isInline = !whole || (given === undefined && fits(whole, form) && isShowable(collected, form))
  return isInline ? {} : saveWhole(scratchpad, given, whole)
}

/** What is not spilled is there whole. */
function isShowable({ stdout, stderr }: Collected, { encoding }: Shown): boolean {
  return encoding === 'buffer' || (isUtf8(stdout.head) && isUtf8(stderr.head))
}

/** The command has already run, so if the disk is full its output goes inline, whole. */
function saveWhole(scratchpad: Scratchpad, name: string | undefined, bytes: Buffer): Saved {
  try {
    const file = scratchpad.save(name, bytes)
    return { scratchpad: { name: file.name, path: file.path, bytes: bytes.length } }
  } catch (error) {
    return { unsaved: { bytes, reason: errorReason(error) } }
  }
}
