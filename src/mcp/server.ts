import { errorText } from '../base/errno.ts'
import { visible } from '../base/text.ts'
import { findAnywhere, type Mode, readSaved, scratchpadRoots, shellNamed } from '../internal.ts'
import { factsOf, readScratchpadText, type ToolFacts, toolDescription } from '../messages/tool.ts'
import { registerBackground } from './background.ts'
import {
  executeCommand,
  type McpConnection,
  type ToolCall,
  type ToolCallContext,
  textResult,
} from './execute.ts'
import { registerFiles } from './files.ts'
import { askedState } from './questions.ts'
import { executeSchema, readSchema, resultSchema } from './schemas.ts'
import { McpServer, type ToolAnnotations } from './sdk.ts'
import type { McpSession, Served, SessionShell } from './session.ts'

/** Commands that one server runs at once; further calls wait. */
export const maxAtOnce = 32

interface ModalInput extends ToolCall {
  /** Where the tool serves several. */
  readonly mode?: Mode
}

interface Tool {
  readonly name: string
  readonly facts: ToolFacts
  readonly loosest: Mode
  /** Of the loosest mode. Undefined: it cannot be opened. The model sees why in the first call. */
  readonly shell: SessionShell | undefined
}

/** For an error of the SDK. One of its schemas carries all of its findings, in many lines. */
export function troubleLine(error: Error): string {
  return 'issues' in error ? 'skipped what is no message of JSON-RPC 2.0' : error.message
}

/** Makes the server of one connection. Its set of tools never changes. */
export async function makeServer(connection: McpConnection): Promise<McpServer> {
  const { session } = connection
  const served = await session.served()
  const { asked, modes, sandboxOff } = served
  const off = sandboxOff === undefined ? undefined : readModeOff(sandboxOff, modes.length > 0)
  if (off !== undefined && modes.length < asked.length) session.options.log(off)
  const isEach = session.options.toolPerMode || modes.length < 2
  const groups = isEach ? modes.map((mode) => [mode] as const) : [modes as ToolFacts['modes']]
  // Clients that share a session would read and end each other's commands.
  const background = connection.hasSession && modes.some((mode) => mode !== 'read')
  const tools = await Promise.all(groups.map((group) => toolOf(session, group, { ...served, background })))
  const server = new McpServer(
    { name: 'vitrine', version: session.options.version },
    {
      instructions: tools.length > 0 ? `Runs shell commands in ${modes.join(', ')} mode.` : (off ?? ''),
      requestState: { verify: askedState.verify },
      // Clients decide by a tool's annotations what to ask: tools are fixed when the client connects.
      capabilities: { tools: { listChanged: false } },
    },
  )
  const calls: ToolCallContext = {
    ...connection,
    capabilities: () => server.server.getClientCapabilities(),
  }
  for (const tool of tools) registerExecute(server, calls, tool)
  if (session.options.files) registerFiles(server, calls, modes, isEach)
  registerScratchpad(server, session, tools[0]?.facts.inlineChars ?? 30_000)
  if (background) registerBackground(server, session)
  return server
}

async function toolOf(
  session: McpSession,
  modes: ToolFacts['modes'],
  served: Served & { readonly background: boolean },
): Promise<Tool> {
  const shells = await Promise.all(
    modes.map((mode) =>
      session.shell(mode).catch((error: unknown) => {
        session.options.log(errorText(error))
        return undefined
      }),
    ),
  )
  const [strictest] = modes
  const loosest = modes.at(-1) ?? strictest
  const nameOf = (mode: Mode) => (mode === served.asked[0] ? 'execute_command' : `execute_command_${mode}`)
  const next = served.modes[served.modes.indexOf(loosest) + 1]
  const config = shells[0]?.config
  const facts = {
    ...factsOf(config, modes, shellNamed(config)),
    background: served.background && loosest !== 'read',
    looserTool: next && nameOf(next),
    like: strictest === served.modes[0] ? undefined : nameOf(served.modes[0] ?? strictest),
  }
  // Clients allow a tool by name: it gives the loosest mode, also where the other tools are missing.
  return { name: nameOf(loosest), facts, loosest, shell: shells.at(-1) }
}

function registerExecute(server: McpServer, calls: ToolCallContext, tool: Tool): void {
  const { name, facts, loosest } = tool
  const config = {
    title: facts.modes.length > 1 ? titles.write : titles[loosest],
    description: toolDescription(facts),
    inputSchema: executeSchema(facts),
    annotations: annotationsOf(tool),
    // Claude Code's limit in characters; the answer has a few lines besides the output.
    _meta: { 'anthropic/maxResultSizeChars': Math.min(500_000, facts.inlineChars + 20_000) },
    ...(calls.session.options.structured && { outputSchema: resultSchema }),
  }
  server.registerTool(name, config, ({ mode = facts.modes[0], ...asked }: ModalInput, context) =>
    executeCommand(calls, mode, asked, context),
  )
}

const titles: Readonly<Record<Mode, string>> = {
  read: 'Run a command, read-only',
  workspace: 'Run a command that may change the workspace',
  write: 'Run a command',
}

/** With readOnlyHint clients do not ask, so it is set only if the system confines the command. */
function annotationsOf({ loosest, facts, shell }: Tool): ToolAnnotations {
  if (loosest !== 'write' && shell?.config.shell.sandbox === true) {
    const openWorldHint = facts.network !== false
    return loosest === 'read'
      ? { readOnlyHint: true, openWorldHint }
      : { readOnlyHint: false, destructiveHint: true, openWorldHint }
  }
  return { readOnlyHint: false, destructiveHint: true, openWorldHint: true }
}

function registerScratchpad(server: McpServer, session: McpSession, inlineChars: number): void {
  const config = {
    description: readScratchpadText,
    inputSchema: readSchema,
    annotations: { readOnlyHint: true },
  }
  // A restarted client still knows the names of earlier sessions.
  const elsewhere = (name: string) =>
    session.options.earlierSessions ? findAnywhere(scratchpadRoots(process.env), name) : undefined
  server.registerTool('read_scratchpad', config, async (asked) => {
    const { text, isError } = await readSaved(session.scratchpad, asked, inlineChars, elsewhere)
    return { ...textResult(text), ...(isError && { isError }) }
  })
}

/**
 * Why there is no tool for read and workspace mode, and how the user enables them.
 * @param where the file, variable or flag that turns off the sandbox
 */
function readModeOff(where: string, writeIsServed: boolean): string {
  const left = writeIsServed ? 'Only write mode is available' : 'No tool can run commands'
  const remedy = writeIsServed ? '' : ', or to run vitrine mcp --mode write'
  return `${left}, because [shell] sandbox = false (${visible(where)}) disables read and workspace mode. To change that, ask the user to set sandbox = true${remedy}.`
}
