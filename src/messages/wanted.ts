/** What a value must be, as it follows "expected" (configuration) or "must be" (requests). */
export const wanted = {
  // Of any value
  string: 'a string',
  object: 'an object',
  oneOf: (words: readonly string[]) => alternatives(words.map((word) => JSON.stringify(word))),
  integer: (least: number, most: number) => `an integer from ${least} to ${most}`,
  withoutNul: (text: string) => `${text} without a NUL byte`,
  notEmpty: (text: string) => `${text}, not empty`,

  // Of requests and options
  shellProgram: '"sh", "bash" or the path of a shell',
  shellOutside: (workspace: string) =>
    `a shell outside of the workspace (${workspace}), whose files commands write`,

  // Of configuration keys
  path: 'a path',
  atMostPaths: (most: number) => `a list of at most ${most} paths`,
  atMostHosts: (most: number) => `a list of at most ${most} hosts`,
  strings: 'a list of strings',
  stringsOr: (word: string) => `a list of strings, or ${JSON.stringify(word)}`,
  wordOr: (word: string, other: string) =>
    `${JSON.stringify(word)}, or ${other} ("./NAME" for a file of such a name)`,
  stringTable: 'a table of strings',
  command: 'a command',
  example: (matches: boolean) =>
    matches ? 'a command line that the rule matches' : 'a command line that the rule does not match',
  rule: (keys: readonly string[]) => `a table with ${keys.join(', ')}`,
  ruleLine: 'a command line',
  ruleOption: 'an option such as "--force"',
  unreadable: (workspace: string) => `paths that hold neither the workspace (${workspace}) nor /bin/sh`,
  auditOutside: (parent: string) => `a path outside of ${parent}, where commands can write`,
} as const

/** What a value is instead, as it follows "got" or "not". */
export const found = {
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
