import type { Variables } from './environment.ts'

/** A program to start: paths to try in order, and its argument vector. */
export interface ProgramToStart {
  readonly candidates: readonly string[]
  readonly argv: readonly string[]
  readonly commandLine?: string
  /** Variables that it gets besides the command's. */
  readonly variables?: Variables
}

interface ArgvContext {
  readonly cwd: string
  readonly environment: Variables
}

export interface Interpreter {
  readonly name: string
  line(line: string): ProgramToStart
  hint?(line: string): string | undefined
  argv(argv: readonly [string, ...string[]], context: ArgvContext): ProgramToStart
}

/** Where programs are looked up when PATH is not set. */
export const usualPath = '/usr/local/bin:/usr/bin:/bin'

/** `sh -c LINE`, and programs looked up as execvp(3) does. */
export const posixShell: Interpreter = {
  name: 'sh',
  // Before a dash or plus, which would be read as an option, a blank changes nothing.
  line: (line) => ({
    candidates: ['/bin/sh'],
    argv: ['sh', '-c', /^[-+]/.test(line) ? ` ${line}` : line],
  }),
  argv(argv, { environment }) {
    const [name] = argv
    if (name.includes('/')) return { candidates: [name], argv }
    // An empty entry of PATH means the current directory (environ(7)).
    const path = environment['PATH'] ?? usualPath
    const directories = path.split(':').map((entry) => entry || '.')
    return { candidates: directories.map((directory) => `${directory}/${name}`), argv }
  },
}
