import {
  applyEdits,
  type FormattingOptions,
  modify,
  type ParseError,
  parse,
  printParseErrorCode,
} from 'jsonc-parser'

/** Parses JSON that may have comments and trailing commas; an empty text is `{}`. The error names the line. */
export function parseJsonc(text: string): unknown {
  const errors: ParseError[] = []
  const { body } = split(text)
  const value: unknown = parse(body, errors, { allowTrailingComma: true, allowEmptyContent: true })
  const [first] = errors
  if (!first) return value ?? {}
  const line = body.slice(0, first.offset).split('\n').length
  const problem = printParseErrorCode(first.error).replace(/\B(?=[A-Z])/g, ' ')
  throw new Error(`line ${line}: ${problem.toLowerCase()}`)
}

/** Sets `[parent, name]` to `entry`; comments, trailing commas and everything else stay. */
export function withEntry(text: string, parent: string, name: string, entry: unknown): string {
  const { mark, body } = split(text)
  // A first member needs no comma before it, where a comment could stand.
  const options = { formattingOptions: styleOf(body), getInsertionIndex: () => 0 }
  const edited = applyEdits(body, modify(body, [parent, name], entry, options))
  return `${mark}${edited}${body.trim() === '' ? '\n' : ''}`
}

/** A byte order mark is not white space in JSON. */
function split(text: string): { readonly mark: string; readonly body: string } {
  const body = text.replace(/^\uFEFF/, '')
  return { mark: text.slice(0, text.length - body.length), body }
}

function styleOf(text: string): FormattingOptions {
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  '
  return {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  }
}
