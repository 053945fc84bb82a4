/**
 * The command line of a Windows process: CommandLineToArgvW and the C runtime read the same argument vector
 * back from it. https://learn.microsoft.com/cpp/c-language/parsing-c-command-line-arguments
 */
export function commandLine(argv: readonly string[]): string {
  const [program = '', ...rest] = argv
  // The program's name has a rule of its own: quotes begin and end, and backslashes are ordinary characters.
  const name = /[\s"]/.test(program) || program === '' ? `"${program.replaceAll('"', '')}"` : program
  return [name, ...rest.map(quoted)].join(' ')
}

/** Backslashes are special only before a quote: they are doubled there, and before the closing quote. */
function quoted(argument: string): string {
  if (argument !== '' && !/[\s"]/.test(argument)) return argument
  return `"${argument.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`
}
