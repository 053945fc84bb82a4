/** Every client that can be attached. Without its entry: the grammar of the command line needs no more. */
export const attachable = [
  'claude',
  'cline',
  'codex',
  'copilot',
  'gemini',
  'kilo',
  'opencode',
  'pi',
  'qwen',
] as const
