export type { StandingApproval } from './approval/approve.ts'
export type { Approval, ApprovalInput, ApprovalRequest, Approver } from './approval/approver.ts'
export { type TerminalApproverOptions, terminalApprover } from './approval/terminal.ts'
export { projectConfigFiles, userConfigFile } from './config/files.ts'
export {
  type Flags,
  type IgnoredValue,
  type LoadedConfig,
  parseToml,
  type Setting,
} from './config/load.ts'
export type { Config } from './config/schema.ts'
export { type ConfigRow, configRows, type InitOutcome, initConfig } from './config/show.ts'
export { trustProjectFile } from './config/trust-project.ts'
export {
  buildDockerImage,
  cleanDocker,
  type DockerBuild,
  type DockerStatus,
  dockerStatus,
  type OwnContainer,
} from './docker-tools.ts'
export { ListenerError, type Refusal, type RefusalCode, VitrineError } from './errors.ts'
export { type HostSupport, hostSupport } from './host.ts'
export { loadConfig } from './loading.ts'
export { nearestKey } from './nearest.ts'
export type { ExecuteAllOptions, ShellOptions } from './options.ts'
export { type Platform, platform } from './platform.ts'
export type { ListedRule, RuleList } from './policy/list.ts'
export { isHarmlessInput } from './request/descriptor.ts'
export type { LineOptions, LineState, LineVariables } from './request/line-state.ts'
export type { ExecuteRequest } from './request/request.ts'
export type { StartRequest } from './request/terminal.ts'
export type {
  Backend,
  Decision,
  Denial,
  Encoding,
  Enforcement,
  Failure,
  Mode,
  Outcome,
  OutputIn,
  PolicyMatch,
  Result,
  RightEnforcement,
} from './result/result.ts'
export { decideAbout, listRules, type QuestionToDecide } from './rulebook.ts'
export type { ExecuteOptions } from './run.ts'
export { historyFile, scratchpadRoots } from './scratchpad/directory.ts'
export { type GrepOutcome, type GrepQuery, grepEntry, type LinePattern } from './scratchpad/grep.ts'
export {
  findAnywhere,
  listSessions,
  type ScratchpadEntry,
  type ScratchpadSession,
} from './scratchpad/list.ts'
export type { EntryMetadata } from './scratchpad/metadata.ts'
export { clearSessions } from './scratchpad/prune.ts'
export { isBinary, type Part, type Range, readBytes, readLines, readWhole } from './scratchpad/read.ts'
export type { Scratchpad } from './scratchpad/scratchpad.ts'
export { openShell, type Shell } from './shell.ts'
export type { Pty } from './start.ts'
