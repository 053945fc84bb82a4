export interface Command {
  /** Resolves to the exit code once everything has been written. Throws if nothing ran. */
  main(args: readonly string[]): Promise<number>
}

/** vitrine's own exit codes, as for coreutils `timeout`. */
export const exitCode = { timedOut: 124, refused: 125, notExecutable: 126, notFound: 127 } as const
