import type { ExecuteRequest, Result } from '../index.ts'

/** One way to change something of the host, harmless when it works. */
export interface Attempt {
  /** A right of the host, named as in `Enforcement`. */
  readonly right: string
  readonly name: string
  /** Puts what it would change into an empty directory. */
  prepare(directory: string): Target | Promise<Target>
}

/** What an attempt would change, and how to see from outside whether it did. */
export interface Target {
  readonly request: Pick<ExecuteRequest, 'command' | 'argv'>
  touched(result: Result): boolean | Promise<boolean>
  /** Takes away what the attempt made, or what was there for it. */
  clear?(): void | Promise<void>
}

/** An attempt on files of the directory that it runs in: `file`, which holds a line. `look` describes what must stay as it is. */
export function onFiles(
  right: string,
  name: string,
  command: string,
  look: (directory: string) => string,
  prepareFile: (directory: string) => void,
): Attempt {
  return {
    right,
    name,
    prepare(directory) {
      prepareFile(directory)
      const before = look(directory)
      return { request: { command }, touched: () => look(directory) !== before }
    },
  }
}

/** An attempt whose effect only its own exit code tells: it does nothing but ask, and ends with 0 when it was allowed. */
export function asking(right: string, name: string, command: string): Attempt {
  return { right, name, prepare: () => ({ request: { command }, touched: ({ exitCode }) => exitCode === 0 }) }
}
