import type { Variables } from './environment.ts'

/** A program to start: paths to try in order, and its argument vector. */
export interface Program {
  readonly candidates: readonly string[]
  readonly argv: readonly string[]
  /** Windows: argv as the one string that a process is given there. */
  readonly commandLine?: string
  /** What its environment has besides the command's. */
  readonly variables?: Variables
}

/** Where a program without a path is looked for. */
export interface Surroundings {
  readonly cwd: string
  readonly environment: Variables
}

/** How commands become programs on one system. */
export interface Interpreter {
  /** What a person calls it. */
  readonly name: string
  /** A shell line, given to the system's shell. */
  line(line: string): Program
  /** What is odd about a line, in words for a person. */
  hint?(line: string): string | undefined
  /** An argument vector with no shell. */
  argv(argv: readonly [string, ...string[]], surroundings: Surroundings): Program
}

/** `sh -c LINE`, and programs looked up as execvp(3) does. */
export const posixShell: Interpreter = {
  name: 'sh',
  // A line that begins with a dash or a plus would be read as an option: a blank before it changes nothing else.
  line: (line) => ({
    candidates: ['/bin/sh'],
    argv: ['sh', '-c', /^[-+]/.test(line) ? ` ${line}` : line],
  }),
  argv(argv, { environment }) {
    const [name] = argv
    if (name.includes('/')) return { candidates: [name], argv }
    // An empty entry of PATH means the current directory (environ(7)).
    const path = environment['PATH'] ?? '/usr/local/bin:/usr/bin:/bin'
    const directories = path.split(':').map((entry) => entry || '.')
    return { candidates: directories.map((directory) => `${directory}/${name}`), argv }
  },
}
