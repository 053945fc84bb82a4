import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { baseDirectory, homeOf } from '../../base/paths.ts'
import { quoted } from '../../base/text.ts'
import type { Environment } from '../../base/types.ts'
import { platform } from '../../internal.ts'

export const clientNames = ['claude', 'codex', 'gemini', 'cursor', 'vscode', 'opencode'] as const
export type ClientName = (typeof clientNames)[number]

export type ServerCommand = readonly [string, ...string[]]

/** Where a client keeps its servers, in JSON with comments or TOML, and the entry for this one. */
export interface Client {
  readonly file: string
  /** The key of the object that holds the servers by name. */
  readonly servers: string
  readonly entry: Readonly<Record<string, unknown>>
  /** The command line of the client's own program that does the same, if there is one. */
  readonly own?: string
}

/** A minute more than the longest command: a client that gives up earlier kills it. */
const toolSeconds = 660

export function clientOf(name: ClientName, command: ServerCommand, environment: Environment): Client {
  const home = homeOf(environment)
  const config = baseDirectory(environment, 'XDG_CONFIG_HOME')
  const [program, ...args] = command
  const started = { command: program, args }
  const line = command.map(quoted).join(' ')
  const clients: Readonly<Record<ClientName, Client>> = {
    claude: {
      file: join(environment['CLAUDE_CONFIG_DIR'] || home, '.claude.json'),
      servers: 'mcpServers',
      entry: { type: 'stdio', ...started },
      own: `claude mcp add --scope user vitrine -- ${line}`,
    },
    codex: {
      file: join(environment['CODEX_HOME'] || join(home, '.codex'), 'config.toml'),
      servers: 'mcp_servers',
      entry: { ...started, tool_timeout_sec: toolSeconds },
      own: `codex mcp add vitrine -- ${line}`,
    },
    gemini: {
      file: join(environment['GEMINI_CLI_HOME'] || home, '.gemini', 'settings.json'),
      servers: 'mcpServers',
      entry: { ...started, timeout: toolSeconds * 1000 },
      own: `gemini mcp add --scope user vitrine ${line}`,
    },
    cursor: { file: join(home, '.cursor', 'mcp.json'), servers: 'mcpServers', entry: started },
    vscode: {
      file: join(vscodeUser(home, environment), 'mcp.json'),
      servers: 'servers',
      entry: { type: 'stdio', ...started },
      own: `code --add-mcp ${quoted(JSON.stringify({ name: 'vitrine', ...started }))}`,
    },
    opencode: {
      file: opencodeFile(join(config, 'opencode')),
      servers: 'mcp',
      entry: { type: 'local', command, enabled: true, timeout: toolSeconds * 1000 },
    },
  }
  return clients[name]
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
