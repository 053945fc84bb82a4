export { type Flags, type IgnoredValue, type LoadedConfig, loadConfig, type Setting } from './config/load.ts'
export type { Config } from './config/schema.ts'
export { type Refusal, type RefusalCode, VitrineError } from './errors.ts'
export type { ExecuteRequest } from './request/request.ts'
export type {
  Backend,
  Decision,
  Denial,
  Enforcement,
  Failure,
  Mode,
  Outcome,
  Result,
  RightEnforcement,
} from './result/result.ts'
export { type ExecuteOptions, openShell, type Shell, type ShellOptions } from './shell.ts'
