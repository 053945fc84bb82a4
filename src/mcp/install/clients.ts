import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { baseDirectory, homeOf } from '../../base/paths.ts'
import { quoted } from '../../base/text.ts'
import type { Environment } from '../../base/types.ts'
import { platform } from '../../internal.ts'

export const clientNames = ['claude', 'codex', 'gemini', 'cursor', 'vscode', 'opencode'] as const
export type ClientName = (typeof clientNames)[number]

export type ServerCommand = readonly [string, ...string[]]

/** Where a client keeps its servers, and the entry for this one. */
export interface Client {
  readonly file: string
  readonly format: 'json' | 'toml'
  /** The key of the object that holds the servers by name. */
  readonly servers: string
  readonly entry: Readonly<Record<string, unknown>>
}

const second = 1
const millisecond = 1000
/** Seconds, a minute more than the longest command: a client that gives up earlier kills it. */
const toolTimeout = 660

export function clientOf(name: ClientName, command: ServerCommand, environment: Environment): Client {
  const home = homeOf(environment)
  const [program, ...args] = command
  const started = { command: program, args }
  switch (name) {
    case 'claude':
      return json(join(environment['CLAUDE_CONFIG_DIR'] || home, '.claude.json'), 'mcpServers', {
        type: 'stdio',
        ...started,
      })
    case 'codex':
      return {
        file: join(environment['CODEX_HOME'] || join(home, '.codex'), 'config.toml'),
        format: 'toml',
        servers: 'mcp_servers',
        entry: { ...started, tool_timeout_sec: toolTimeout * second },
      }
    case 'gemini':
      return json(join(environment['GEMINI_CLI_HOME'] || home, '.gemini', 'settings.json'), 'mcpServers', {
        ...started,
        timeout: toolTimeout * millisecond,
      })
    case 'cursor':
      return json(join(home, '.cursor', 'mcp.json'), 'mcpServers', started)
    case 'vscode':
      return json(join(vscodeUser(home, environment), 'mcp.json'), 'servers', { type: 'stdio', ...started })
    case 'opencode':
      return json(opencodeFile(join(baseDirectory(environment, 'XDG_CONFIG_HOME'), 'opencode')), 'mcp', {
        type: 'local',
        command,
        enabled: true,
        timeout: toolTimeout * millisecond,
      })
  }
}

/** The command line of the client's own program that does the same, if there is one. */
export function ownCommand(name: ClientName, command: ServerCommand): string | undefined {
  const line = command.map(quoted).join(' ')
  switch (name) {
    case 'claude':
      return `claude mcp add --scope user vitrine -- ${line}`
    case 'codex':
      return `codex mcp add vitrine -- ${line}`
    case 'gemini':
      return `gemini mcp add --scope user vitrine ${line}`
    case 'vscode':
      return `code --add-mcp ${quoted(JSON.stringify({ name: 'vitrine', command: command[0], args: command.slice(1) }))}`
    default:
      return undefined
  }
}

function json(file: string, servers: string, entry: Client['entry']): Client {
  return { file, format: 'json', servers, entry }
}

/** opencode reads either name; an existing .jsonc is the user's. */
function opencodeFile(directory: string): string {
  const withComments = join(directory, 'opencode.jsonc')
  return existsSync(withComments) ? withComments : join(directory, 'opencode.json')
}

function vscodeUser(home: string, environment: Environment): string {
  if (platform === 'macos') return join(home, 'Library', 'Application Support', 'Code', 'User')
  if (platform === 'windows')
    return join(environment['APPDATA'] || join(home, 'AppData', 'Roaming'), 'Code', 'User')
  return join(baseDirectory(environment, 'XDG_CONFIG_HOME'), 'Code', 'User')
}
