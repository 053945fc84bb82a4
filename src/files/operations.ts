import * as v from 'valibot'
import type { FileProblem } from '../base/refusal.ts'
import { quoted } from '../base/text.ts'
import { fieldOf, integer, kindOf, readFields, refuseType, refuseValue } from '../request/fields.ts'
import { failed, type Names, type OldFile, optionsOf, type Runner } from './runner.ts'
import { mostBytes, scriptOf } from './scripts.ts'
import {
  bytesOf,
  type Edited,
  edited,
  encodingOf,
  lineEndOf,
  linesOf,
  textIn,
  type Wanted,
  withLineEnds,
} from './text.ts'
import type { EditDone, EditRequest, FileOptions, FileText, ReadOptions, Written } from './types.ts'

export { glob, grep, list } from './find.ts'
export { Runner } from './runner.ts'

const largest = 0x7fff_ffff
const readSchema = optionsOf({
  offset: integer(-largest, largest),
  limit: integer(1, largest),
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

export async function read(runner: Runner, path: string, given: ReadOptions): Promise<FileText> {
  const { offset = 0, limit = largest, ...options } = readFields('options', given, readSchema)
  const names = ['read_file', path] as const
  const result = await runner.done({ names, argv: scriptOf('read', path, mostBytes), options, most })
  const end = result.stdout.indexOf('\n')
  const size = Number(result.stdout.toString('latin1', 0, end))
  const file = decoded({ size, bytes: result.stdout.subarray(end + 1) })
  if ('kind' in file) throw failed(names, result, file)
  const lines = linesOf(file.text)
  const from = Math.min(offset < 0 ? Math.max(0, lines.length + offset) : offset, lines.length)
  const to = Math.min(lines.length, from + limit)
  const part = { text: lines.slice(from, to).join(''), from: from + 1, to, lines: lines.length }
  return { ...part, size, encoding: file.encoding, truncated: from > 0 || to < lines.length }
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

type Content = Pick<OldFile, 'size' | 'bytes'>
type DecodedFile = Pick<FileText, 'text' | 'encoding'>

/** The whole of a file as text. */
function decoded({ size, bytes }: Content): DecodedFile | FileProblem {
  if (size > mostBytes) return { kind: 'too-large', bytes: size, limit: mostBytes }
  const encoding = encodingOf(bytes)
  return encoding ? { text: textIn(bytes, encoding), encoding } : { kind: 'binary' }
}

function asBefore(content: string, old: OldFile): Buffer {
  const before = decoded(old)
  if ('kind' in before) return Buffer.from(content)
  const isCrlf = lineEndOf(before.text) === '\r\n' && !content.includes('\r\n')
  const text = isCrlf ? withLineEnds(content, '\r\n') : content
  return bytesOf(text, before.encoding) ?? Buffer.from(text)
}

function editedFile(old: OldFile, wanted: Wanted): (Edited & { readonly bytes: Buffer }) | FileProblem {
  const file = decoded(old)
  if ('kind' in file) return file
  const done = edited(file.text, wanted)
  if ('kind' in done) return done
  const bytes = bytesOf(done.text, file.encoding)
  return bytes ? { ...done, bytes } : { kind: 'encoding', encoding: file.encoding }
}

/** Of a longer text a question shows the beginning, and names the rest by its digest, so that a yes allows this one only. */
const mostLines = 40
const mostCharacters = 4000

function shownWrite(names: Names, content: string | Uint8Array): string {
  return [...heading(names), ...part('+', content)].join('\n')
}

function shownEdit(
  names: Names,
  { old, new: next, all }: { old: string; new: string; all: boolean },
): string {
  return [...heading(names), ...(all ? ['each'] : []), ...part('-', old), ...part('+', next)].join('\n')
}

function heading(names: Names): string[] {
  return [names.map(quoted).join(' ')]
}

function part(mark: string, content: string | Uint8Array): string[] {
  const text = typeof content === 'string' ? content : Buffer.from(content).toString('latin1')
  const lines = linesOf(text.slice(0, mostCharacters)).slice(0, mostLines)
  const shown = lines.map((line) => `${mark} ${line.replace(/\r?\n$/, '')}`)
  if (lines.join('') === text && typeof content === 'string') return shown
  // Loaded late: it costs start-up time.
  const { createHash } = process.getBuiltinModule('node:crypto')
  const digest = createHash('sha256').update(content).digest('hex')
  return [...shown, `${mark} ... ${Buffer.byteLength(content)} bytes in all, SHA-256 ${digest}`]
}
