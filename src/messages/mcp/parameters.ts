import type { ToolFacts } from './mcp.ts'

export const parameterTexts = {
  command: 'The command line.',
  timeoutMs: (facts: ToolFacts) =>
    `Milliseconds after which the command is killed; set it per command. At most ${facts.maxTimeoutMs}.`,
  scratchpad:
    'Saves the complete output under this name: letters, digits, dots, dashes, underscores. A name in use gets a suffix.',
  cwd: 'The directory to run it in. Default: the working directory.',
  privateTmp:
    'true gives the command a private, writable TMPDIR, removed afterwards: for temporary files, caches, compilers and test runners. Default: in read mode as configured, in workspace mode true; write mode has none.',
  next: 'Further command lines to run in order after command, each in a new shell with the same cwd, private_tmp and timeout_ms (per line). Each saved output gets its own name. The policy decides about all lines before the first one starts; the first failure ends the list.',
  ignoreErrors: 'With next: true continues after a line that fails.',
  entryName: 'The name of the saved output, from a result or list_scratchpad.',
  unit: 'What offset and limit count.',
  offset:
    'Lines or bytes to skip at the beginning; a negative number counts from the end (-100: the last 100). Default 0.',
  limit: 'The number of lines or bytes to read. Default: as many as can be shown at once.',
  grep: 'A regular expression in RE2 syntax (no lookaround, no backreferences): shows matching lines with their numbers instead of a range.',
  context: 'With grep: lines to show before and after each match.',
  ignoreCase: 'With grep: ignores case.',
} as const

export const wantedTexts = {
  command: 'pass the command line as a string',
  timeoutMs: 'pass a whole number of milliseconds above 0, or omit it',
  scratchpad: 'pass a name as a string, or omit it',
  cwd: 'pass a directory as a string, or omit it',
  next: (most: number) => `pass an array of 1 to ${most} command lines`,
  entryName: 'pass a name that list_scratchpad shows',
  unit: 'pass "lines" or "bytes"',
  offset: 'pass a whole number',
  limit: 'pass a whole number above 0',
  grep: 'pass a regular expression as a string',
  context: 'pass a whole number from 0 to 100',
  trueOrFalse: 'pass true or false',
  missing: (keys: readonly string[]) => `it is required; the ${parametersAre(keys)}`,
  unknown: (keys: readonly string[], nearest: string | undefined) =>
    nearest === undefined
      ? `there is no such parameter; the ${parametersAre(keys)}`
      : `there is no such parameter; did you mean ${nearest}? The ${parametersAre(keys)}`,
  network:
    'a call cannot allow the network; only the user can, with [shell] network = true or vitrine mcp --network',
} as const

function parametersAre(keys: readonly string[]): string {
  return `parameters are ${keys.join(', ') || 'none'}`
}
