import { modes } from '../../base/types.ts'
import {
  boolean,
  defineKey,
  integer,
  maxMs,
  oneOf,
  oneWay,
  onlyAdds,
  onlySmaller,
  onlyTrusted,
  pathsKey,
  shellKey,
} from '../field.ts'
import { networkKey, ownSocketsKey } from './network.ts'

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
