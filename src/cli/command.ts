/** A command of the command line. */
export interface Command {
  /** Resolves to the exit code, when everything has been written. Throws when nothing ran. */
  main(args: readonly string[]): Promise<number>
}

/** Exit codes that are vitrine's own, as coreutils `timeout` has them. */
export const exitCode = { timedOut: 124, refused: 125, notExecutable: 126, notFound: 127 } as const
