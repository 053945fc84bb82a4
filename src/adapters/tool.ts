export type { ToolInput } from '../internal.ts'
export { runTool, type ToolAnswer, type ToolOptions, toolDefinition } from './command.ts'
export type { ToolDefinition } from './definition.ts'
export type { CallOptions, ShellTool, ShellToolAnswer } from './tool-of.ts'
export {
  type ModeRequest,
  type NeedsApproval,
  type ToolCall,
  type ToolsOptions,
  tools,
} from './tools.ts'
