import * as v from 'valibot'
import type { FileProblem } from '../base/refusal.ts'
import { fieldOf, integer, kindOf, oneOf, readFields, refuseType, refuseValue } from '../request/fields.ts'
import { edited, type Wanted } from './edit.ts'
import type { OldFile } from './exchange.ts'
import { failed, optionsOf, type Runner } from './runner.ts'
import { mostBytes, scriptOf } from './scripts.ts'
import { shownEdit, shownWrite } from './shown.ts'
import { bytesOf, encodingOf, lineEndOf, linesOf, rangeIn, textIn, withLineEnds } from './text.ts'
import type {
  EditDone,
  EditRequest,
  FileBytes,
  FileOptions,
  FileText,
  ReadOptions,
  Written,
} from './types.ts'

export { glob, grep, list } from './find.ts'
export { Runner } from './runner.ts'

const largest = 0x7fff_ffff
const readSchema = optionsOf({
  offset: integer(-largest, largest),
  limit: integer(1, largest),
  encoding: oneOf('utf8', 'buffer'),
})
const changeSchema = optionsOf({})
const editSchema = v.strictObject({
  path: fieldOf.string,
  old: v.string('a string'),
  new: v.string('a string'),
  all: v.optional(v.boolean('a boolean'), false),
})

/** Room for what stands before the bytes of a file. */
const most = mostBytes + 100

export async function read(runner: Runner, path: string, given: ReadOptions): Promise<FileText | FileBytes> {
  const { encoding, offset = 0, limit = largest, ...options } = readFields('options', given, readSchema)
  const names = ['read_file', path] as const
  const from = offset < 0 ? offset : `+${offset + 1}`
  const isText = encoding !== 'buffer'
  const argv = isText
    ? scriptOf('readText', path, from, limit, mostBytes)
    : scriptOf('readBytes', path, from, Math.min(limit, mostBytes))
  const result = await runner.done({ names, argv, options, most })
  const { size, rest } = sized(result.stdout)
  if (!isText) return { bytes: rest, size, truncated: rest.length < size }
  const text = size <= mostBytes ? wholeText(rest, offset, limit) : partOfText(rest, offset, size)
  if ('kind' in text) throw failed(names, result, text)
  return { ...text, size, truncated: text.from > 1 || text.to < text.lines }
}

export async function write(
  runner: Runner,
  path: string,
  content: string | Uint8Array,
  given: FileOptions,
): Promise<Written> {
  if (typeof content !== 'string' && !ArrayBuffer.isView(content))
    refuseType('content', 'a string or a Uint8Array', kindOf(content))
  const options = readFields('options', given, changeSchema)
  const names = ['write_file', path] as const
  let written = { bytes: 0, created: false }
  const shown = shownWrite(names, content)
  const handoffs = await runner.change({ names, options, shown }, (old) => {
    const bytes = typeof content === 'string' ? asBefore(content, old) : Buffer.from(content)
    written = { bytes: bytes.length, created: old.created }
    return bytes
  })
  return { ...written, handoffs }
}

export async function edit(runner: Runner, request: EditRequest, given: FileOptions): Promise<EditDone> {
  const { path, old: from, new: to, all = false } = readFields('request', request, editSchema)
  if (from === '' || from === to) refuseValue('old', 'text that "new" differs from', kindOf(from))
  const wanted = { old: from, new: to, all }
  const options = readFields('options', given, changeSchema)
  const names = ['edit_file', path] as const
  let done = { replaced: 0, line: 0, bytes: 0 }
  const handoffs = await runner.change({ names, options, shown: shownEdit(names, wanted) }, (old) => {
    const made = editedFile(old, wanted)
    if ('kind' in made) return made
    done = { replaced: made.replaced, line: made.line, bytes: made.bytes.length }
    return made.bytes
  })
  return { ...done, handoffs }
}

type Lines = Pick<FileText, 'text' | 'from' | 'to' | 'lines' | 'encoding'>

function sized(output: Buffer): { size: number; rest: Buffer } {
  const end = output.indexOf('\n')
  return { size: Number(output.toString('latin1', 0, end)), rest: output.subarray(end + 1) }
}

function wholeText(bytes: Buffer, offset: number, limit: number): Lines | FileProblem {
  const encoding = encodingOf(bytes)
  if (!encoding) return { kind: 'binary' }
  const lines = linesOf(textIn(bytes, encoding))
  const { from, to } = rangeIn(lines.length, offset, limit)
  return { text: lines.slice(from - 1, to).join(''), from, to, lines: lines.length, encoding }
}

/** Of a large file: its first bytes, the number of its line ends, and whole lines of it. */
function partOfText(output: Buffer, offset: number, size: number): Lines | FileProblem {
  if (encodingOf(output.subarray(0, 4))?.startsWith('utf16'))
    return { kind: 'too-large', bytes: size, limit: mostBytes }
  const { size: lines, rest } = sized(output.subarray(4))
  const part = rest.length < mostBytes ? rest : rest.subarray(0, rest.lastIndexOf('\n') + 1 || rest.length)
  const text = wholeText(part, 0, largest)
  if ('kind' in text) return text
  const { from } = rangeIn(lines, offset, largest)
  return { ...text, from, to: from + text.lines - 1, lines }
}

function asBefore(content: string, { size, bytes }: OldFile): Buffer {
  const encoding = (size <= mostBytes && encodingOf(bytes)) || 'utf8'
  const before = size <= mostBytes ? textIn(bytes, encoding) : ''
  const text =
    lineEndOf(before) === '\r\n' && !content.includes('\r\n') ? withLineEnds(content, '\r\n') : content
  return bytesOf(text, encoding) ?? Buffer.from(text)
}

type Change = { readonly bytes: Buffer; readonly replaced: number; readonly line: number }

function editedFile({ size, bytes }: OldFile, wanted: Wanted): Change | FileProblem {
  if (size > mostBytes) return { kind: 'too-large', bytes: size, limit: mostBytes }
  const encoding = encodingOf(bytes)
  if (!encoding) return { kind: 'binary' }
  const done = edited(textIn(bytes, encoding), wanted)
  if ('nearest' in done) return { kind: 'no-match', nearest: done.nearest }
  if ('count' in done) return { kind: 'matches', ...done }
  const made = bytesOf(done.text, encoding)
  return made ? { bytes: made, replaced: done.replaced, line: done.line } : { kind: 'encoding', encoding }
}
