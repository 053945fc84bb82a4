/**
 * The one string that a Windows process is given for its argument vector, so that CommandLineToArgvW and the C runtime
 * read the same vector back. https://learn.microsoft.com/cpp/c-language/parsing-c-command-line-arguments
 */
export function commandLine(argv: readonly string[]): string {
  const [program = '', ...rest] = argv
  // The program's name is read by another rule: quotes begin and end, and backslashes mean nothing.
  const name = /[\s"]/.test(program) || program === '' ? `"${program.replaceAll('"', '')}"` : program
  return [name, ...rest.map(quoted)].join(' ')
}

/** Backslashes count only before a quote: there they are doubled, and so are those before the closing one. */
function quoted(argument: string): string {
  if (argument !== '' && !/[\s"]/.test(argument)) return argument
  return `"${argument.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`
}
