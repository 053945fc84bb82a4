import { modes } from '../base/types.ts'
import {
  boolean,
  booleanOrHosts,
  defineKey,
  hostList,
  integer,
  listOf,
  maxMs,
  oneOf,
  oneWay,
  onlyAdds,
  onlyFewerHosts,
  onlySmaller,
  onlyTrusted,
  pathsKey,
  pathsWithinKey,
  shellKey,
  stringTable,
  userOnly,
} from './field.ts'

/** `[shell] network` */
export const networkKey = defineKey(
  'Sandboxed: allow TCP and UDP clients (true), or TCP to listed hosts: HOST, *.HOST or an address, with :PORT or for ports 443 and 80.',
  booleanOrHosts,
  false,
  onlyFewerHosts,
)

/** `[shell] own_sockets` */
export const ownSocketsKey = defineKey(
  "Sockets on this machine's loopback, unix sockets, shared memory and terminals among the commands of a shell: in workspace mode, and in read mode with a private TMPDIR. Linux.",
  boolean,
  true,
  oneWay(true, false),
)

const keys = {
  deny: defineKey(
    'Hosts that are refused even if [shell] network lists them; without :PORT on every port.',
    () => hostList(),
    [],
    onlyAdds,
  ),
  ask: defineKey(
    'true: the approver is asked about a host that the list does not name; its yes holds for the command or the session, its no for the session.',
    boolean,
    false,
    userOnly,
  ),
}

export const networkSection = { about: 'What a list of hosts in [shell] network depends on.', keys } as const

const maxGraceMs = 600_000

export const shellKeys = {
  backend: defineKey(
    'Where commands run: on this machine, or in a container.',
    () => oneOf('local', 'docker'),
    'local',
    onlyTrusted,
  ),
  program: shellKey(
    'The shell that reads lines: sh, bash, or the path of one. On Windows it is PowerShell.',
    onlyTrusted,
  ),
  sandbox: defineKey(
    'false: no sandbox, so every command requires write mode.',
    boolean,
    true,
    // Not even a tightening: true may demand a sandbox from a host that the user knows to have none.
    onlyTrusted,
  ),
  mode: defineKey(
    'read: the operating system makes the command read-only. workspace: it holds the changes of the command inside the workspace. write: the command runs unsandboxed.',
    () => oneOf(...modes),
    'read',
    oneWay('write', 'workspace', 'read'),
  ),
  timeout_ms: defineKey(
    'Deadline of a command without one of its own, in milliseconds.',
    () => integer(1, maxMs),
    30_000,
    onlySmaller,
  ),
  max_timeout_ms: defineKey(
    'The longest deadline that a caller can set, in milliseconds.',
    () => integer(1, maxMs),
    600_000,
    onlySmaller,
  ),
  kill_grace_ms: defineKey(
    'Time between SIGTERM and SIGKILL, in milliseconds.',
    () => integer(0, maxGraceMs),
    200,
    onlySmaller,
  ),
  network: networkKey,
  own_sockets: ownSocketsKey,
  private_tmp: defineKey(
    'Read mode: give each command a writable TMPDIR of its own, and remove it afterwards. On macOS true unless set. Workspace mode always does.',
    boolean,
    false,
    oneWay(true, false),
  ),
  reads: defineKey(
    "What read and workspace mode can read: everything, or only the workspace and the system's own directories.",
    () => oneOf('everywhere', 'workspace'),
    'everywhere',
    oneWay('everywhere', 'workspace'),
  ),
  unreadable: pathsKey(
    'Paths whose content read and workspace mode cannot read; "secrets" stands for the usual places of secrets.',
    onlyAdds,
    'secrets',
  ),
}

export const workspaceKeys = {
  writable: pathsKey('Further directories that commands may change, such as "~/.cache/pip".', userOnly),
  protected: pathsWithinKey(
    'Paths inside the workspace that commands may not change; "default" stands for the list in docs/workspace.md.',
    onlyAdds,
    'default',
  ),
  on_protected: defineKey(
    'ask: before something protected changes in workspace mode, the approver is asked, once for each protected path and command.',
    () => oneOf('deny', 'ask'),
    'deny',
    userOnly,
  ),
}

export const envKeys = {
  inherit: defineKey(
    'Which variables of the caller pass: auto (read and workspace mode: a list; write mode: all whose names do not look like secrets), listed (the list in every mode), all.',
    () => oneOf('auto', 'listed', 'all'),
    'auto',
    oneWay('all', 'auto', 'listed'),
  ),
  pass: defineKey(
    'Names of further variables that pass from the caller.',
    () => listOf('a variable name'),
    [],
    onlyTrusted,
  ),
  set: defineKey('Variables to set, with their values.', stringTable, {}, onlyTrusted),
}
