import { basename } from 'node:path'
import { realPath } from '../base/paths.ts'
import { words } from '../base/text.ts'
import type { Variables } from './environment.ts'
import type { StatefulShell } from './state.ts'

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
  /** On this machine. */
  isDash?(): boolean
  /** On this machine: undefined is a shell whose state no session can keep. */
  stateful?(): StatefulShell | undefined
  hint?(line: string): string | undefined
  argv(argv: readonly [string, ...string[]], context: ArgvContext): ProgramToStart
}

/** Where programs are looked up when PATH is not set. */
export const usualPath = '/usr/local/bin:/usr/bin:/bin'

/** Where bash is; not by PATH, which can lead into a project. */
const placesOfBash = words('/bin/bash /usr/bin/bash /usr/local/bin/bash /run/current-system/sw/bin/bash')

export const shellProgramWanted = '"sh", "bash" or the path of a shell'

/** Whether a text can be `[shell] program`: `sh`, `bash`, or a path. */
export function isShellProgram(text: string): boolean {
  return text === 'sh' || text === 'bash' || (text.includes('/') && !text.endsWith('/'))
}

/** Where a `[shell] program` may be, in the order in which it is tried. */
export function placesOfShell(program: string): readonly string[] {
  if (program === 'sh') return ['/bin/sh']
  return program === 'bash' ? placesOfBash : [program]
}

/** Which language a shell reads. The policy has been tried against bash, dash and ash. */
export function dialectOf(program: string): 'sh' | 'other' {
  return ['sh', 'bash', 'dash', 'ash'].includes(basename(program)) ? 'sh' : 'other'
}

/** `PROGRAM -c LINE`. */
export function posixShell(program = 'sh'): Interpreter {
  const candidates = placesOfShell(program)
  return {
    name: program,
    // Before a dash or plus, which would be read as an option, a blank changes nothing.
    line: (line) => ({
      candidates,
      argv: [basename(program), '-c', /^[-+]/.test(line) ? ` ${line}` : line],
    }),
    argv: programByPath,
  }
}

/** The same on this machine, where it is known which program `sh` is. */
export function localShell(program = 'sh'): Interpreter {
  return { ...posixShell(program), isDash: () => isDash(program), stateful: () => statefulShell(program) }
}

/** Programs looked up as execvp(3) does. */
export const programByPath: Interpreter['argv'] = (argv, { environment }) => {
  const [name] = argv
  if (name.includes('/')) return { candidates: [name], argv }
  // An empty entry of PATH means the current directory (environ(7)).
  const path = environment['PATH'] ?? usualPath
  const directories = path.split(':').map((entry) => entry || '.')
  return { candidates: directories.map((directory) => `${directory}/${name}`), argv }
}

function statefulShell(program: string): StatefulShell | undefined {
  const real = placesOfShell(program).map(realPath)
  const name = basename(real.find((path) => path !== undefined) ?? '')
  return name === 'dash' || name === 'bash' ? name : undefined
}

/** Whether a shell is dash, as `/bin/sh` is on Debian and Ubuntu. */
export function isDash(program: string): boolean {
  const [place = ''] = placesOfShell(program)
  return basename(realPath(place) ?? '') === 'dash'
}
