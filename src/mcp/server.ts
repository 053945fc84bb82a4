import { errorText } from '../base/errno.ts'
import { visible } from '../base/text.ts'
import type { Turns } from '../base/turns.ts'
import { type Mode, shellNamed } from '../internal.ts'
import {
  deadlineText,
  factsOf,
  literalText,
  modeText,
  type ToolFacts,
  toolDescription,
} from '../messages/tool.ts'
import { executeCommand, type ToolCallContext } from './execute.ts'
import { askedState } from './questions.ts'
import { emptySchema, executeSchema, readSchema, resultSchema } from './schemas.ts'
import { listScratchpad, readScratchpad, registerResources } from './scratchpad.ts'
import { McpServer, type ToolAnnotations } from './sdk.ts'
import type { McpSession, SessionShell } from './session.ts'

/** Commands that one server runs at once; further calls wait. */
export const maxAtOnce = 32

export interface McpConnection {
  readonly session: McpSession
  readonly turns: Turns
  /** An answer can hold for the rest of it. */
  readonly hasSession: boolean
  /** Milliseconds that a command outlives its connection; default: `brokenGraceMs`. */
  readonly brokenGraceMs?: number | undefined
  /** Tells the client that the list of resources has changed; default: a notification on this connection. */
  readonly saved?: (() => void) | undefined
}

interface Tool {
  readonly name: string
  readonly facts: ToolFacts
  readonly shell: SessionShell | undefined
}

/** For an error of the SDK. One of its schemas carries all of its findings, in many lines. */
export function troubleLine(error: Error): string {
  return 'issues' in error ? 'skipped what is no message of JSON-RPC 2.0' : error.message
}

/** Makes the server of one connection. Its set of tools never changes. */
export async function makeServer(connection: McpConnection): Promise<McpServer> {
  const { session } = connection
  const tools = await toolsOf(session)
  const server = new McpServer(
    { name: 'vitrine', version: session.options.version },
    {
      instructions: serverInstructions(tools, (await session.sandboxOff()) ?? ''),
      requestState: { verify: askedState.verify },
      // Clients decide by a tool's annotations what to ask: tools are fixed when the client connects.
      capabilities: { tools: { listChanged: false } },
    },
  )
  const calls: ToolCallContext = {
    ...connection,
    capabilities: () => server.server.getClientCapabilities(),
    saved: connection.saved ?? (() => tellSaved(server)),
  }
  for (const tool of tools) registerExecute(server, calls, tool)
  registerScratchpad(
    server,
    session,
    tools[0]?.facts ?? factsOf(undefined, 'read', undefined, shellNamed(undefined)),
  )
  registerResources(server, session)
  return server
}

async function toolsOf(session: McpSession): Promise<readonly Tool[]> {
  const [asked, served] = await Promise.all([session.modes(), session.servedModes()])
  const sandboxOff = await session.sandboxOff()
  if (sandboxOff !== undefined && served.length < asked.length)
    session.options.log(readModeOff(sandboxOff, served.length > 0))
  return Promise.all(
    served.map(async (mode) => {
      const shell = await openedOrNot(session, mode)
      const facts = factsOf(shell?.config, mode, looserTool(mode, served), shellNamed(shell?.config))
      return { name: toolName(mode, asked), facts, shell }
    }),
  )
}

/** Clients allow a tool by name, so the name gives the mode even if the other tools are missing. */
function toolName(mode: Mode, asked: readonly Mode[]): string {
  return mode === asked[0] ? 'execute_command' : `execute_command_${mode}`
}

/** The tool for what this mode refuses. */
function looserTool(mode: Mode, served: readonly Mode[]): string | undefined {
  const looser = served[served.indexOf(mode) + 1]
  return looser && `execute_command_${looser}`
}

function tellSaved(server: McpServer): void {
  server.server.sendResourceListChanged().catch(() => {
    // The client is gone.
  })
}

/** Logs at once why a shell cannot be opened; the model sees it in the first call. */
async function openedOrNot(session: McpSession, mode: Mode): Promise<SessionShell | undefined> {
  try {
    return await session.shell(mode)
  } catch (error) {
    session.options.log(errorText(error))
    return undefined
  }
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
    ...(calls.session.options.structured && { outputSchema: resultSchema() }),
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

function registerScratchpad(server: McpServer, session: McpSession, { inlineChars }: ToolFacts): void {
  const annotations = { readOnlyHint: true, destructiveHint: false, openWorldHint: false }
  server.registerTool(
    'read_scratchpad',
    {
      title: 'Read saved output',
      description: 'Reads a saved output: a range of lines or bytes, or the lines that match a pattern.',
      inputSchema: readSchema(),
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
      inputSchema: emptySchema(),
      annotations,
    },
    () => listScratchpad(session),
  )
}

/**
 * The server's instructions for a client that connects.
 * @param sandboxOff the file, variable or flag that turns off the sandbox, if no tool is left
 */
function serverInstructions(
  tools: readonly { readonly name: string; readonly facts: ToolFacts }[],
  sandboxOff: string,
): string {
  const [first, ...others] = tools
  if (!first) return [readModeOff(sandboxOff, false), scratchpadText].join('\n')
  const { name, facts } = first
  const which = [
    `${name} runs in ${facts.mode} mode.`,
    ...others.map((tool) => `${tool.name}: ${uses[tool.facts.mode]}.`),
  ]
  return [
    ...(facts.mode === 'read'
      ? ['A shell in which the operating system itself makes commands read-only.']
      : []),
    which.join(' '),
    modeText(facts),
    deadlineText(facts),
    literalText(facts),
    scratchpadText,
  ].join('\n')
}

const scratchpadText =
  'Long output is saved: list_scratchpad lists it, read_scratchpad reads it by lines, bytes or a pattern.'

/** Why there is no tool for read and workspace mode, and how the user enables them. */
function readModeOff(sandboxOff: string, writeIsServed: boolean): string {
  const from = sandboxOff === '' ? '' : ` (${visible(sandboxOff)})`
  const left = writeIsServed ? 'Only write mode is available' : 'No tool can run commands'
  const remedy = writeIsServed ? '' : ', or to run vitrine mcp --mode write'
  return `${left}, because [shell] sandbox = false${from} disables read and workspace mode. To change that, ask the user to set sandbox = true${remedy}.`
}

const uses: Readonly<Record<Mode, string>> = {
  read: 'read mode, for commands that only look',
  workspace: 'workspace mode, for commands that change files of the workspace',
  write: 'write mode, unsandboxed, only for what has to change something elsewhere',
}
