import { errorText } from '../base/errno.ts'
import { visible } from '../base/text.ts'
import { type Mode, shellNamed } from '../internal.ts'
import { factsOf, type ToolFacts, toolDescription } from '../messages/tool.ts'
import { executeCommand, type McpConnection, type ToolCallContext } from './execute.ts'
import { askedState } from './questions.ts'
import { emptySchema, executeSchema, readSchema, resultSchema } from './schemas.ts'
import { listScratchpad, readScratchpad } from './scratchpad.ts'
import { McpServer, type ToolAnnotations } from './sdk.ts'
import type { McpSession, Served, SessionShell } from './session.ts'

/** Commands that one server runs at once; further calls wait. */
export const maxAtOnce = 32

interface Tool {
  readonly name: string
  readonly facts: ToolFacts
  /** Undefined: it cannot be opened. The model sees why in the first call. */
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
  const tools = await Promise.all(modes.map((mode) => toolOf(session, mode, served)))
  const server = new McpServer(
    { name: 'vitrine', version: session.options.version },
    {
      instructions: tools.length > 0 ? instructions(tools) : [off, scratchpadText].join('\n'),
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
  registerScratchpad(server, session, tools[0]?.facts.inlineChars ?? 30_000)
  return server
}

async function toolOf(session: McpSession, mode: Mode, { asked, modes }: Served): Promise<Tool> {
  const shell = await session.shell(mode).catch((error: unknown) => {
    session.options.log(errorText(error))
    return undefined
  })
  const looser = modes[modes.indexOf(mode) + 1]
  const facts = factsOf(shell?.config, mode, looser && `execute_command_${looser}`, shellNamed(shell?.config))
  // Clients allow a tool by name, so the name gives the mode even if the other tools are missing.
  return { name: mode === asked[0] ? 'execute_command' : `execute_command_${mode}`, facts, shell }
}

function registerExecute(server: McpServer, calls: ToolCallContext, { name, facts, shell }: Tool): void {
  const { mode } = facts
  const config = {
    title: titles[mode],
    description: toolDescription(facts),
    inputSchema: executeSchema(facts),
    annotations: annotationsOf(facts, shell),
    // Claude Code's limit in characters; the answer has a few lines besides the output.
    _meta: { 'anthropic/maxResultSizeChars': Math.min(500_000, facts.inlineChars + 20_000) },
    ...(calls.session.options.structured && { outputSchema: resultSchema }),
  }
  server.registerTool(name, config, (asked, context) => executeCommand(calls, mode, asked, context))
}

const titles: Readonly<Record<Mode, string>> = {
  read: 'Run a command, read-only',
  workspace: 'Run a command that may change the workspace',
  write: 'Run a command',
}

/** With readOnlyHint clients do not ask, so it is set only if the system confines the command. */
function annotationsOf({ mode, network }: ToolFacts, opened: SessionShell | undefined): ToolAnnotations {
  if (mode !== 'write' && opened?.config.shell.sandbox === true)
    return {
      readOnlyHint: mode === 'read',
      destructiveHint: mode === 'workspace',
      openWorldHint: network !== false,
    }
  return { readOnlyHint: false, destructiveHint: true, openWorldHint: true }
}

function registerScratchpad(server: McpServer, session: McpSession, inlineChars: number): void {
  const annotations = { readOnlyHint: true, destructiveHint: false, openWorldHint: false }
  server.registerTool(
    'read_scratchpad',
    {
      title: 'Read saved output',
      description: 'Reads a range of lines or bytes of a saved output. To search it, run grep on its file.',
      inputSchema: readSchema,
      annotations,
    },
    (asked) => readScratchpad(session, asked, inlineChars),
  )
  server.registerTool(
    'list_scratchpad',
    {
      title: 'List saved output',
      description:
        'Lists the outputs saved in this session: name, size, time, how the command ended, and the command.',
      inputSchema: emptySchema,
      annotations,
    },
    () => listScratchpad(session),
  )
}

/** What a client tells its model when it connects; the descriptions of the tools say the rest. */
function instructions([first, ...others]: readonly Tool[]): string {
  const mode = first?.facts.mode ?? 'read'
  return [
    ...(mode === 'read' ? ['A shell in which the operating system itself makes commands read-only.'] : []),
    [
      `${first?.name} runs in ${mode} mode.`,
      ...others.map(({ name, facts }) => `${name}: ${uses[facts.mode]}.`),
    ].join(' '),
    scratchpadText,
  ].join('\n')
}

const scratchpadText =
  'Long output is saved: list_scratchpad lists it, read_scratchpad reads it by lines or bytes.'

/**
 * Why there is no tool for read and workspace mode, and how the user enables them.
 * @param where the file, variable or flag that turns off the sandbox
 */
function readModeOff(where: string, writeIsServed: boolean): string {
  const left = writeIsServed ? 'Only write mode is available' : 'No tool can run commands'
  const remedy = writeIsServed ? '' : ', or to run vitrine mcp --mode write'
  return `${left}, because [shell] sandbox = false (${visible(where)}) disables read and workspace mode. To change that, ask the user to set sandbox = true${remedy}.`
}

const uses: Readonly<Record<Mode, string>> = {
  read: 'read mode, for commands that only look',
  workspace: 'workspace mode, for commands that change files of the workspace',
  write: 'write mode, unsandboxed, only for what has to change something elsewhere',
}
