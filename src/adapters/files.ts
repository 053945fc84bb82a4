import type { FileOptions, Shell } from '../index.ts'
import { editFileText, type Mode, readFileText, writeFileText } from '../internal.ts'
import { fileToolTexts, parameterTexts } from '../messages/tool.ts'
import { type Parameters, parameter } from './definition.ts'
import { type Run, type ShellTool, toolOf } from './tool-of.ts'

/** Reading in the strictest mode, changes in the others. */
export function fileTools(shell: Shell, all: readonly Mode[]): ShellTool[] {
  const { text, offset, count, flag, oneOf } = parameter
  const [first, ...more] = all.filter((mode) => mode !== 'read')
  const toolFor = <T>(
    name: string,
    description: string,
    parameters: Parameters,
    answer: FileAnswer<T>,
    mode = all[0],
  ) => {
    const run: Run<T & { readonly mode?: Mode }> = async ({ mode: chosen = mode, ...asked }, { signal }) => ({
      text: await answer(shell, asked as unknown as T, { signal, mode: chosen, hintFor: 'tool' }),
    })
    const needed = Object.keys(parameters).filter((parameter) => neededForFiles.includes(parameter))
    return toolOf({ name, description }, parameters, needed, run)
  }
  const part = { path: text(), offset: offset({ description: parameterTexts.offset }), limit: count() }
  const reading = toolFor('read_file', fileToolTexts.read, part, readFileText)
  if (first === undefined) return [reading]
  const choice = { ...(more.length > 0 && { mode: oneOf(first, ...more)({ default: first }) }), path: text() }
  const edit = { ...choice, old_string: text(), new_string: text(), replace_all: flag() }
  return [
    reading,
    toolFor(
      'write_file',
      fileToolTexts.write([first, ...more]),
      { ...choice, content: text() },
      writeFileText,
      first,
    ),
    toolFor('edit_file', fileToolTexts.edit([first, ...more]), edit, editFileText, first),
  ]
}

type FileAnswer<T> = (shell: Shell, asked: T, options: FileOptions) => Promise<string>

const neededForFiles = ['path', 'content', 'old_string', 'new_string']
