import { withLine } from '../base/text.ts'
import { numbered } from '../messages/file.ts'
import { handoffLines } from '../messages/result.ts'
import type { Files } from './files.ts'
import type { EditRequest, FileOptions, ReadOptions } from './types.ts'

type FileShell = {
  readonly files: Files
  readonly config: { readonly output: { readonly inline_max_chars: number } }
}

/** The answer to a model: as many lines, behind their numbers, as an answer may have characters. Throws as `files.read`. */
export async function readFileText(
  { files, config }: FileShell,
  { path, ...part }: { readonly path: string } & Pick<ReadOptions, 'offset' | 'limit'>,
  options: FileOptions,
): Promise<string> {
  const { text, from, to, lines } = await files.read(path, { ...options, ...part })
  if (lines === 0) return '(empty file)'
  if (to < from) return `[no lines in this range; ${lines} lines in total]`
  const most = config.output.inline_max_chars
  const shown = numbered(text.replace(/\r?\n$/, '').split(/\r?\n/), from)
  const cut = shown.length > most ? shown.slice(0, Math.max(shown.lastIndexOf('\n', most), 0) || most) : shown
  const last = from + cut.split('\n').length - 1
  if (cut === shown && from === 1 && last === lines) return shown
  const broken = cut.length === most && shown[most] !== '\n' ? `; line ${last} is cut off` : ''
  return withLine(
    cut,
    `[lines ${from} to ${last} of ${lines}${last < lines ? `; next: offset ${last}` : ''}${broken}]`,
  )
}

/** The answer to a model. Throws as `files.write`. */
export async function writeFileText(
  { files }: FileShell,
  { path, content }: { readonly path: string; readonly content: string },
  options: FileOptions,
): Promise<string> {
  const { bytes, created, handoffs } = await files.write(path, content, options)
  return answer(`${created ? 'Created' : 'Wrote'} ${path} (${bytes} bytes).`, handoffs)
}

/** The answer to a model. Throws as `files.edit`. */
export async function editFileText(
  { files }: FileShell,
  asked: Pick<EditRequest, 'path'> & {
    old_string: string
    new_string: string
    replace_all?: boolean | undefined
  },
  options: FileOptions,
): Promise<string> {
  const { path, old_string, new_string, replace_all } = asked
  const request = { path, old: old_string, new: new_string, all: replace_all }
  const { replaced, line, handoffs } = await files.edit(request, options)
  const where = replaced === 1 ? `line ${line}` : `${replaced} places, the first in line ${line}`
  return answer(`Edited ${path} at ${where}.`, handoffs)
}

function answer(said: string, handoffs: Parameters<typeof handoffLines>[0]): string {
  return [said, ...handoffLines(handoffs).map((line) => `[${line}]`)].join('\n')
}
