import type { Mode } from '../base/types.ts'
import type { FileOptions } from '../index.ts'
import { editFileText, readFileText, writeFileText } from '../internal.ts'
import { fileToolTexts } from '../messages/tool.ts'
import { answerCall, type ToolCallContext, textResult } from './execute.ts'
import { editFileSchema, readFileSchema, writeFileSchema } from './schemas.ts'
import type { McpServer, ServerContext } from './sdk.ts'
import type { SessionShell } from './session.ts'

/** Some of the modes that are served, from the strictest on. */
type Modes = readonly [Mode, ...Mode[]]

/**
 * The tools of `--files`: reading in the strictest mode that is served, changes in the others.
 * @param isEach each mode has tools of its own: clients allow a tool by name
 */
export function registerFiles(
  server: McpServer,
  calls: ToolCallContext,
  modes: readonly Mode[],
  isEach: boolean,
): void {
  const [strictest, ...looser] = modes
  if (strictest === undefined) return
  const config = {
    description: fileToolTexts.read,
    inputSchema: readFileSchema,
    annotations: { readOnlyHint: true, openWorldHint: false },
  }
  server.registerTool('read_file', config, answering(calls, [strictest], readFileText))
  const [first, ...more] = strictest === 'read' ? looser : modes
  if (first === undefined) return
  const groups: readonly Modes[] = isEach
    ? [first, ...more].map((mode) => [mode] as const)
    : [[first, ...more]]
  for (const group of groups) registerChanges(server, calls, group, group[0] === first ? '' : `_${group[0]}`)
}

function registerChanges(server: McpServer, calls: ToolCallContext, modes: Modes, suffix: string): void {
  const annotations = { readOnlyHint: false, destructiveHint: true, openWorldHint: false }
  const write = { description: fileToolTexts.write(modes), inputSchema: writeFileSchema(modes), annotations }
  const edit = { description: fileToolTexts.edit(modes), inputSchema: editFileSchema(modes), annotations }
  server.registerTool(`write_file${suffix}`, write, answering(calls, modes, writeFileText))
  server.registerTool(`edit_file${suffix}`, edit, answering(calls, modes, editFileText))
}

type Answer<T> = (shell: SessionShell, input: T, options: FileOptions) => Promise<string>

function answering<T>(calls: ToolCallContext, [strictest]: Modes, answer: Answer<T>) {
  return ({ mode = strictest, ...input }: T & { readonly mode?: Mode }, context: ServerContext) =>
    answerCall(calls, context, async (call) => {
      const shell = await calls.session.shell(mode)
      call.started()
      return textResult(await answer(shell, input as unknown as T, { signal: call.signal, hintFor: 'tool' }))
    })
}
