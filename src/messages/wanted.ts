/** What a value must be, as it follows "expected" (configuration) or "must be" (requests). */
export const wanted = {
  // Of any value
  string: 'a string',
  boolean: 'a boolean',
  trueOnly: 'true',
  function: 'a function',
  object: 'an object',
  table: 'a table',
  oneOf: (words: readonly string[]) => alternatives(words.map((word) => JSON.stringify(word))),
  integer: (least: number, most: number) => `an integer from ${least} to ${most}`,
  number: (least: number, most: number) => `a number from ${least} to ${most}`,
  withoutNul: (text: string) => `${text} without a NUL byte`,
  notEmpty: (text: string) => `${text}, not empty`,

  // Of requests and options
  milliseconds: 'a number of milliseconds',
  positiveMs: 'milliseconds above 0',
  duration: 'a time above 0, such as 30s, 500ms, 2m or a number of milliseconds',
  arguments: 'an array of strings',
  variables: 'an object of variables',
  namesWithoutEquals: 'names without "="',
  stdin: 'a string, a Uint8Array, a Readable or an open descriptor',
  harmlessInput: 'a regular file opened for reading only, or a stream to read from, except in write mode',
  requests: 'an array of shell lines and requests',
  request: 'a shell line or a request',
  signal: 'the name of a signal',
  typed: 'a string or a Uint8Array',
  terminal: 'the name of a terminal',
  absolutePath: 'an absolute path',
  config: 'the path of a file, or what loadConfig made',
  shellProgram: '"sh", "bash" or the path of a shell',
  installedShell: '"sh", or a shell that is installed',
  shellOutside: (workspace: string) =>
    `a shell outside of the workspace (${workspace}), whose files commands write`,
  onlyPowershell: '"sh", which stands for PowerShell on Windows',
  network: 'a boolean, or an array of hosts: HOST, *.HOST or an address, with or without :PORT',
  flags: 'an object of flags',
  flag: 'an object with value and from',
  scratchpad: 'a Scratchpad',
  scratchpadName: '1 to 64 letters, digits, dots, dashes or underscores, the first a letter or digit',
  abortSignal: 'an AbortSignal',

  // Of configuration keys
  trueOrFalse: 'true or false',
  path: 'a path',
  pathInside: 'a path without ".."',
  atMostPaths: (most: number) => `a list of at most ${most} paths`,
  host: 'HOST, *.HOST or an address, each with :PORT or without',
  hostOrBoolean:
    'HOST, *.HOST or an address, each with :PORT or without; or true or false in place of the list',
  hosts: 'a list of hosts',
  atMostHosts: (most: number) => `a list of at most ${most} hosts`,
  booleanOrHosts: 'true, false or a list of hosts: HOST, *.HOST or an address, with :PORT or without',
  strings: 'a list of strings',
  stringsOr: (word: string) => `a list of strings, or ${JSON.stringify(word)}`,
  wordOr: (word: string, other: string) =>
    `${JSON.stringify(word)}, or ${other} ("./NAME" for a file of such a name)`,
  stringTable: 'a table of strings',
  name: 'a name',
  nameWithoutEquals: 'a name without "="',
  nameKept: 'a name other than __proto__, prototype and constructor',
  variableName: 'a variable name',
  command: 'a command',
  firstWords: 'the first words of a command',
  example: (matches: boolean) =>
    matches ? 'a command line that the rule matches' : 'a command line that the rule does not match',
  rules: 'a list of [[policy.rule]] tables',
  rule: (keys: readonly string[]) => `a table with ${keys.join(', ')}`,
  ruleWord: 'one word',
  ruleWords: 'a list of words, not empty',
  ruleLine: 'a command line',
  allowing: 'verdict = "allow" in the same rule',
  ruleOption: 'an option such as "--force"',
  image: 'an image such as "debian:12", or empty',
  user: 'an id such as "1000:1000", "owner" or empty',
  networkName: 'a network name',
  size: 'a size such as "512m" or "1g"',
  unreadable: (workspace: string) => `paths that hold neither the workspace (${workspace}) nor /bin/sh`,
  auditNotRequired: 'false, or a path beside it',
  auditFile: 'a regular file, or a path that does not exist yet',
  auditOutside: (parent: string) => `a path outside of ${parent}, where commands can write`,
} as const

/** What a value is instead, as it follows "got" or "not". */
export const found = {
  array: 'an array',
  list: 'a list',
  date: 'a date',
  table: 'a table',
  string: (text: string) => `the string ${text}`,
  number: (value: number | bigint) => `the number ${value}`,
  tableWithout: (name: string) => `a table without ${name}`,
  descriptor: (fd: number, errno?: string) => `descriptor ${fd}${errno === undefined ? '' : ` (${errno})`}`,
  noShell: (program: string, places: readonly string[]) =>
    `${JSON.stringify(program)} (there is no ${alternatives(places)})`,
  requiredAlone: 'true without [audit] path',
} as const

function alternatives(words: readonly string[]): string {
  const last = words.at(-1) ?? ''
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} or ${last}`
}

/** Where an option belongs that was given in another place, as it follows "use". */
export const place = {
  mode: 'shell.mode, or "mode" of openShell()',
  shell: (name: string) => `"${name}" of openShell()`,
  request: (name: string) => `"${name}" of the request, the first argument of execute()`,
  options: (name: string) => `options.${name}, the second argument of execute()`,
  terminal: (name: string) => `"${name}" of start(), which runs a command in a terminal`,
  other: (name: string) => `"${name}"`,
  deadline: '"timeoutMs" of a request, or [shell] timeout_ms of the configuration',
}
