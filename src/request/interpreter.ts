/** A program to start: paths to try in order, and its argument vector. */
export interface Program {
  readonly candidates: readonly string[]
  readonly argv: readonly string[]
}

/** `sh -c LINE`. A line that begins with a dash or a plus would be read as an option: a blank before it changes nothing else. */
export function shellProgram(line: string): Program {
  const command = /^[-+]/.test(line) ? ` ${line}` : line
  return { candidates: ['/bin/sh'], argv: ['sh', '-c', command] }
}

/** An argument vector with no shell, its program looked up as execvp(3) does. */
export function argvProgram(argv: readonly [string, ...string[]], path: string | undefined): Program {
  const [name] = argv
  if (name.includes('/')) return { candidates: [name], argv }
  // An empty entry of PATH means the current directory (environ(7)).
  const directories = (path ?? '/usr/local/bin:/usr/bin:/bin').split(':').map((entry) => entry || '.')
  return { candidates: directories.map((directory) => `${directory}/${name}`), argv }
}
