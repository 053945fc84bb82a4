// Re-exports only: code of its own would put all of it into what `run` loads.
export { type Approval, type ApprovalRequest, type Approver, answersTo } from './admit/approver.ts'
export { terminalApprover } from './admit/terminal.ts'
export { loadSessionFile } from './audit/late.ts'
export { nearestKey } from './base/did-you-mean.ts'
export { platform } from './base/platform.ts'
export type { Refusal } from './base/refusal.ts'
export {
  type Backend,
  type Decision,
  type Enforcement,
  type Mode,
  modes,
  type PolicyMatch,
  type Result,
} from './base/types.ts'
export { parseToml } from './config/check.ts'
export { projectConfigFiles, upToGitRoot, userConfigFile } from './config/files.ts'
export type { Flags, IgnoredValue, LoadedConfig } from './config/load.ts'
export type { Config } from './config/schema.ts'
export { configRows, initConfig, isTrustedFile, trustProjectFile } from './config/show.ts'
export { editFileText, readFileText, writeFileText } from './files/tools.ts'
export { shellNamed } from './host/backend.ts'
export {
  buildDockerImage,
  cleanDocker,
  type DockerStatus,
  dockerStatus,
  type OwnContainer,
} from './host/docker-tools.ts'
export { openFileGate } from './host/file-gate.ts'
export { type HostSupport, hostSupport, leave } from './host/host.ts'
export { loadConfig } from './host/load-config.ts'
export { decideAbout, listRules } from './host/policy-check.ts'
export type { ShellOptions } from './host/shell-options.ts'
export { workspaceOf } from './host/workspace.ts'
export { VitrineError } from './messages/error.ts'
export { isHostPattern } from './network/access.ts'
export type { RuleList } from './policy/ruleset.ts'
export {
  absolutePath,
  currentDirectory,
  fieldOf,
  functionField,
  integer,
  oneOf,
  readFields,
  refuseValue,
} from './request/fields.ts'
export { isShellProgram } from './request/interpreter.ts'
export type { ExecuteOptions, ExecuteRequest } from './request/request.ts'
export { isHarmlessInput } from './request/stdin.ts'
export type { BackgroundCommand } from './run/background.ts'
export { BackgroundTools, type JobAnswer } from './run/background-tools.ts'
export type { Pty } from './run/launch.ts'
export { type LinesRun, runLines, type ToolInput } from './run/lines.ts'
export type { Session } from './run/session/session.ts'
export { clearSessions, findAnywhere, listSessions, toRemove } from './scratchpad/list.ts'
export { type ReadInput, readSaved } from './scratchpad/read.ts'
export { type Scratchpad, scratchpadIn } from './scratchpad/scratchpad.ts'
export { checkScratchpadName, ownState, scratchpadRoots } from './scratchpad/session.ts'
export { openShell, type Shell } from './shell.ts'
