import * as v from 'valibot'
import type { JobAnswer } from '../internal.ts'
import { refusalText } from '../messages/answer.ts'
import { isVitrineError } from '../messages/error.ts'
import { backgroundTexts as texts } from '../messages/tool.ts'
import { errorResult, textResult } from './execute.ts'
import { about, shortParameters } from './schemas.ts'
import type { CallToolResult, McpServer } from './sdk.ts'
import type { McpSession } from './session.ts'

/** Clients end a call that takes longer, if not earlier. */
const mostWaitMs = 600_000
/** How long `until` waits if the call does not say. */
const untilMs = 30_000

const readSchema = shortParameters({
  id: v.string(),
  wait_ms: v.optional(about(v.pipe(v.number(), v.integer()), texts.waitMs)),
  until: v.optional(about(v.string(), texts.until)),
})
const stopSchema = shortParameters({ id: v.string() })

/** The tools for commands that `execute_command` has left running. */
export function registerBackground(server: McpServer, session: McpSession): void {
  const { background } = session
  const annotations = { readOnlyHint: true }
  const read = { description: texts.read, inputSchema: readSchema, annotations }
  server.registerTool('read_command', read, ({ id, wait_ms: given, until }, { mcpReq }) =>
    session.busy(() => answered(background.read(id, waitMs(given, until), until, mcpReq.signal))),
  )
  const stop = {
    description: texts.stop,
    inputSchema: stopSchema,
    annotations: { destructiveHint: false },
  }
  server.registerTool('stop_command', stop, ({ id }) => session.busy(() => answered(background.stop(id))))
  const list = { description: texts.list, inputSchema: shortParameters({}), annotations }
  server.registerTool('list_commands', list, () => textResult(background.list()))
}

function waitMs(given: number | undefined, until: string | undefined): number {
  return Math.min(Math.max(given ?? (until === undefined ? 0 : untilMs), 0), mostWaitMs)
}

async function answered(answer: Promise<JobAnswer>): Promise<CallToolResult> {
  try {
    return textResult((await answer).text)
  } catch (error) {
    if (!isVitrineError(error)) throw error
    return errorResult(refusalText(error))
  }
}
