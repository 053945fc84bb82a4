import type { HintReader } from '../base/hint.ts'
import { visible } from '../base/text.ts'
import type { Mode } from '../base/types.ts'

/** A mode at the beginning of a sentence. */
export const modeNames: Readonly<Record<Mode, string>> = {
  read: 'Read mode',
  workspace: 'Workspace mode',
  write: 'Write mode',
}

interface OwnWays {
  readonly privateTmp: string
  readonly workspace: string
  readonly write: string
}

/** Of a tool that stands alone: it has one mode. */
const alone = {
  workspace: 'tell the user, who alone can choose workspace mode for this tool',
  write: 'tell the user, who alone can choose write mode for this tool',
}

/** What the reader can choose for a command. */
const own: Readonly<Record<HintReader, OwnWays>> = {
  user: {
    privateTmp: 'set private_tmp = true (--private-tmp)',
    workspace: 'run the command in workspace mode (--mode workspace) or in write mode',
    write: 'run the command in write mode',
  },
  tool: {
    privateTmp: 'call with private_tmp: true',
    workspace: 'use workspace mode, or else write mode, if a tool offers it; otherwise tell the user',
    write: 'use write mode if a tool offers it, otherwise tell the user',
  },
  'only-tool': { privateTmp: 'call with private_tmp: true', ...alone },
  'only-command': { privateTmp: 'ask the user to set [shell] private_tmp = true', ...alone },
}

function waysOf(reader: HintReader) {
  const set = (setting: string, flags: string) =>
    reader === 'user' ? `${setting}${flags}` : `ask the user to ${setting}; a call cannot`
  const outside = (command: string) =>
    reader === 'user' ? `run ${command} outside the sandbox` : `ask the user to run ${command}`
  return {
    ...own[reader],
    network: set(
      'list its hosts in [shell] network, or set network = true',
      ' (--allow-host HOST, --network)',
    ),
    host: (host: string) =>
      set(`add "${visible(host)}" to [shell] network`, ` (--allow-host ${visible(host)})`),
    service: (address: string) =>
      set(
        `list ${visible(address)} in [shell] network, or set network = true`,
        ` (--allow-host ${visible(address)}, --network)`,
      ),
    ownSockets: set('set [shell] own_sockets = true', ''),
    set,
    outside,
  }
}

export type Ways = ReturnType<typeof waysOf>

/** What each reader, of MCP's tools or of the command line, can do about a refusal. */
export const remedies: Readonly<Record<HintReader, Ways>> = {
  user: waysOf('user'),
  tool: waysOf('tool'),
  'only-tool': waysOf('only-tool'),
  'only-command': waysOf('only-command'),
}
