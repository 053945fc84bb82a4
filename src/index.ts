export type { StandingApproval } from './admit/approvals.ts'
export type {
  Approval,
  ApprovalInput,
  ApprovalRequest,
  Approver,
  HostQuestion,
} from './admit/approver.ts'
export { type TerminalApproverOptions, terminalApprover } from './admit/terminal.ts'
export type { HintReader } from './base/hint.ts'
export type {
  AuditFault,
  ConfigProblem,
  FileFailure,
  FileOperation,
  FileProblem,
  NearestLines,
  Refusal,
  RefusalCode,
  RequestProblem,
} from './base/refusal.ts'
export type {
  AnyResult,
  ApprovalRecord,
  Backend,
  Background,
  Connection,
  ConnectionReason,
  Decision,
  Denial,
  Encoding,
  Enforcement,
  Environment,
  Failure,
  Handoff,
  HandoffKind,
  Limit,
  Listening,
  Mode,
  Operation,
  Outcome,
  OutputIn,
  PolicyMatch,
  Result,
  RightEnforcement,
  Stream,
} from './base/types.ts'
export type { Flags, IgnoredValue, LoadedConfig, LoadOptions, ReadFile, Setting } from './config/load.ts'
export type { Config, ConfigKey, ConfigValue } from './config/schema.ts'
export type { IgnoredBecause } from './config/tighten.ts'
export type { Files } from './files/files.ts'
export type { TextEncoding } from './files/text.ts'
export type {
  EditDone,
  EditRequest,
  FileEntry,
  FileOptions,
  FileText,
  Found,
  Globbed,
  GlobOptions,
  GrepMatch,
  GrepOptions,
  Grepped,
  Listing,
  ListOptions,
  ReadOptions,
  Written,
} from './files/types.ts'
export { loadConfig } from './host/load-config.ts'
export type { ExecuteAllOptions, ShellOptions } from './host/shell-options.ts'
export { ListenerError, NotReadyError, VitrineError } from './messages/error.ts'
export type { NetworkSetting } from './network/access.ts'
export type { BackgroundRequest } from './request/background.ts'
export type { ExecuteOptions, ExecuteRequest, OnOutput } from './request/request.ts'
export type { SessionState, StatefulShell } from './request/state.ts'
export type { TemplateValue } from './request/template.ts'
export type { StartRequest } from './request/terminal.ts'
export type { BackgroundCommand, OutputPart, WaitOptions } from './run/background.ts'
export type { Pty } from './run/launch.ts'
export type { Session } from './run/session/session.ts'
export type { Lines } from './run/stdout-lines.ts'
export type { EntryMetadata, ScratchpadEntry } from './scratchpad/list.ts'
export type { Scratchpad } from './scratchpad/scratchpad.ts'
export { openShell, type Shell } from './shell.ts'
