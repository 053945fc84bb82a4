import type {
  Alternative,
  HintReader,
  RefusalHint,
  Remedy,
  RepositoryRemedy,
  ShutSockets,
} from '../base/hint.ts'
import { visible } from '../base/text.ts'
import type { ConnectionReason, Mode } from '../base/types.ts'
import { denialText, whatWas } from './result.ts'

/** A mode at the beginning of a sentence. */
export const modeNames: Readonly<Record<Mode, string>> = {
  read: 'Read mode',
  workspace: 'Workspace mode',
  write: 'Write mode',
}

const proxyOnly =
  'use a program that connects by the proxy in HTTP_PROXY or ALL_PROXY, the only way to the listed hosts'

const sshByProxy =
  'use an https address, or set GIT_SSH_COMMAND to an ssh whose ProxyCommand connects by the proxy (docs/network.md)'

/** For a host that the list names, so that naming it would change nothing. */
const unlistable: Readonly<Partial<Record<ConnectionReason, string>>> = {
  denied: 'take it out of [network] deny',
  'not-public':
    'list the address that it leads to as well, with its port, because that address is not public',
  'too-many': 'split the work over several commands',
}

function nameTree(tree: string): string {
  const path = visible(tree).replaceAll("'", "'\\''")
  return `git -C '${path}' config core.worktree '${path}'`
}

/** What each reader of MCP's tools or of the command line can do about a refusal. */
const withTools = {
  user: {
    network: 'list its hosts in [shell] network (--allow-host HOST), or set network = true (--network)',
    host: (host: string) => `add "${visible(host)}" to [shell] network (--allow-host ${visible(host)})`,
    service: (address: string) =>
      `list ${visible(address)} in [shell] network (--allow-host ${visible(address)}), or set network = true (--network)`,
    ownSockets: {
      setting: 'set [shell] own_sockets = true',
      'no-private-tmp': 'set private_tmp = true (--private-tmp), or run the command in workspace mode',
    },
    proxy: proxyOnly,
    ssh: sshByProxy,
    privateTmp: 'for temporary files and caches, set private_tmp = true (--private-tmp); ',
    workspace: 'run the command in workspace mode (--mode workspace) or in write mode',
    writable: (directory: string) =>
      `add ${visible(directory)} to [workspace] writable, or run the command in write mode`,
    repair: (tree: string) => `run "git worktree repair" in ${visible(tree)} outside the sandbox`,
    name: (tree: string) => `run ${nameTree(tree)} outside the sandbox`,
    start: 'start vitrine in that repository, or run the command in write mode',
    write: 'run the command in write mode',
  },
  tool: {
    network: 'ask the user to list its hosts in [shell] network, or to set network = true; a call cannot',
    host: (host: string) => `ask the user to add "${visible(host)}" to [shell] network; a call cannot`,
    service: (address: string) =>
      `ask the user to list ${visible(address)} in [shell] network, or to set network = true; a call cannot`,
    ownSockets: {
      setting: 'ask the user to set [shell] own_sockets = true; a call cannot',
      'no-private-tmp': 'call with private_tmp: true, or use execute_command_workspace if it is listed',
    },
    proxy: proxyOnly,
    ssh: sshByProxy,
    privateTmp: 'for temporary files and caches, call with private_tmp: true; ',
    workspace:
      'use execute_command_workspace, or else execute_command_write, if one is listed; otherwise tell the user',
    writable: (directory: string) =>
      `ask the user to add ${visible(directory)} to [workspace] writable, or use execute_command_write if that tool is listed`,
    repair: (tree: string) => `ask the user to run "git worktree repair" in ${visible(tree)}`,
    name: (tree: string) => `ask the user to run ${nameTree(tree)}`,
    start: 'use execute_command_write if that tool is listed, otherwise tell the user',
    write: 'it needs write mode: use execute_command_write if that tool is listed, otherwise tell the user',
  },
} as const satisfies Record<'user' | 'tool', object>

const onlyTool = {
  ...withTools.tool,
  workspace: 'it needs workspace mode, which only the user can choose for this tool: tell the user',
  ownSockets: {
    ...withTools.tool.ownSockets,
    'no-private-tmp': 'call with private_tmp: true, or tell the user',
  },
  start: 'tell the user',
  writable: (directory: string) => `ask the user to add ${visible(directory)} to [workspace] writable`,
  write: 'it needs write mode, which only the user can choose for this tool: tell the user',
}

/** What each reader can do about a refusal. */
export const remedies = {
  ...withTools,
  'only-tool': onlyTool,
  'only-command': {
    ...onlyTool,
    ownSockets: {
      ...onlyTool.ownSockets,
      'no-private-tmp': 'ask the user to set [shell] private_tmp = true',
    },
    privateTmp: 'for temporary files and caches, ask the user to set [shell] private_tmp = true; ',
  },
} as const satisfies Record<HintReader, object>

/**
 * One sentence on what to do about refusals. After a command that exited with 0 it is the only sentence about them. A tool's
 * answer names the refusals of a failed command in separate lines.
 */
export function describeHint(hint: RefusalHint, reader: HintReader): string {
  const { mode, about, instead, succeeded, forNetwork } = hint
  const anyway = succeeded ? 'the command still exited with 0; ' : ''
  const also = forNetwork ? ` For the network, ${wayOut(forNetwork, reader)}.` : ''
  const rest = `${anyway}${instead ? alternative(instead, reader) : ''}${remedyText(hint.remedy, reader)}.${also}`
  const more = succeeded && succeeded.further > 0 ? ` and ${succeeded.further} more` : ''
  if (reader === 'user')
    return `${modeNames[mode]} refuses ${about === 'network' ? networkOf(hint.remedy) : `to ${whatWas(about)}${more}`}; ${rest}`
  if (!succeeded) return rest.charAt(0).toUpperCase() + rest.slice(1)
  return `blocked in ${mode} mode: ${about === 'network' ? networkOf(hint.remedy) : `${denialText(about)}${more}`}; ${rest}`
}

function networkOf(remedy: Remedy): string {
  if (remedy.kind === 'service') return `connections to ${visible(remedy.address)}`
  if (remedy.kind === 'own-sockets') return 'sockets among the processes of a command'
  return remedy.kind === 'host' ? visible(remedy.host) : 'the network'
}

const narrowed =
  'the program has narrowed its own rights (Landlock, capabilities), so vitrine does nothing for it that these may forbid'

function remedyText(remedy: Remedy, reader: HintReader): string {
  const way = wayOut(remedy, reader)
  if (remedy.kind === 'service')
    return `on this machine, commands reach only servers of their own shell. If another is intended, ${way}`
  if (remedy.kind === 'own-sandbox') return `${narrowed}. If this is intended, ${way}`
  if (remedy.kind === 'obeyed')
    return `programs outside the sandbox obey what is in ${visible(remedy.place)} (${remedy.by}), so no setting opens it. If this is intended, ${way}`
  if (remedy.kind === 'repository') return `${repositories[remedy.how]}; ${way}`
  if (remedy.kind !== 'protected') return `if this is intended, ${way}`
  return remedy.byGit
    ? `workspace mode protects this file, because git outside the sandbox obeys it. For "git config" and "git remote add", ${way}`
    : `workspace mode protects this path: programs outside the sandbox obey or run it, or it must not be read. If this is intended, ${way}`
}

const repositories: Readonly<Record<RepositoryRemedy['how'], string>> = {
  repair: 'the worktree has moved, and its repository still names the old place',
  name: 'the git directory lies outside the workspace and does not name it as its work tree',
  start: 'this belongs to a git repository outside the workspace',
}

function wayOut(remedy: Remedy, reader: HintReader): string {
  const ways = remedies[reader]
  switch (remedy.kind) {
    case 'writable':
      return ways.writable(remedy.directory)
    case 'host':
      return hostRemedy(remedy, reader)
    case 'service':
      return ways.service(remedy.address)
    case 'own-sockets':
      return ownSocketsRemedy(remedy.shut, reader)
    case 'protected':
    case 'obeyed':
      return ways.write
    case 'own-sandbox':
      return 'run it without its own sandbox: vitrine confines it all the same'
    case 'repository':
      return remedy.how === 'start' ? ways.start : ways[remedy.how](remedy.tree)
    default:
      return ways[remedy.kind]
  }
}

function hostRemedy({ host, reason }: Extract<Remedy, { kind: 'host' }>, reader: HintReader): string {
  const way = reason && unlistable[reason]
  if (way === undefined) return remedies[reader].host(host)
  const isSetting = reason === 'denied' || reason === 'not-public'
  return reader !== 'user' && isSetting ? `ask the user to ${way}; a call cannot` : way
}

function ownSocketsRemedy(shut: ShutSockets, reader: HintReader): string {
  const { ownSockets, write } = remedies[reader]
  return typeof shut === 'string' ? ownSockets[shut] : `${write}; own sockets are ${shut.lacks}`
}

const alternatives: Readonly<
  Record<Exclude<Alternative['kind'], 'sqlite' | 'homes' | 'private-tmp'>, string>
> = {
  python: 'python3 -m ast FILE checks the syntax without writing a file; ',
  'git-lfs': 'to compare without Git LFS, run git with -c filter.lfs.process= -c filter.lfs.required=false; ',
  gpg: 'gpg --lock-never reads keyrings without locks; ',
  'local-services': 'services of this machine (Docker, D-Bus, ssh-agent, tmux) are out of reach; ',
  'npm-cache': 'set npm_config_cache=$TMPDIR/npm to give npm a writable cache; ',
  'leaves-tmp': 'files cannot leave $TMPDIR, which is removed after the command; ',
  tsx: 'node --import tsx FILE runs TypeScript without a socket; ',
  nx: 'nx works without sockets with NX_DAEMON=false NX_ISOLATE_PLUGINS=false; ',
  'own-tmp': 'the command can write temporary files to its private $TMPDIR; ',
}

function alternative(instead: Alternative, reader: HintReader): string {
  if (instead.kind === 'sqlite')
    return `SQLite opens a WAL database without its log as 'file:${visible(instead.database)}?immutable=1'; `
  if (instead.kind === 'homes')
    return `HOME is ${visible(instead.named)}, but ssh and others take ${visible(instead.passwd)}, the home directory in passwd(5); `
  return instead.kind === 'private-tmp' ? remedies[reader].privateTmp : alternatives[instead.kind]
}
