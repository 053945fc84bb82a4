import type { Result } from '../base/types.ts'
import { checkSignal } from '../request/fields.ts'
import { checkSize, checkTyped } from '../request/terminal.ts'
import type { Running } from './execution.ts'

/** A command in its own terminal. The terminal's output goes to `onOutput` as `stdout`. */
export interface Pty {
  /**
   * Types text as UTF-8, or raw bytes. Resolves when the terminal has taken them or the command has ended.
   * Nothing is lost on the way, but a terminal in canonical mode drops what exceeds 4095 bytes in one line
   * (termios(3)). Rejects with INVALID_REQUEST for anything else.
   */
  write(data: string | Uint8Array): Promise<void>
  /** Sets the size (1 to 65535 characters); the foreground program gets SIGWINCH. Throws INVALID_REQUEST. */
  resize(columns: number, rows: number): void
  /**
   * Ends every process in the terminal (SIGTERM, SIGHUP, `kill_grace_ms`, SIGKILL); the result is
   * `cancelled`. With a signal: sends it to the command's process group and the foreground group. Throws
   * INVALID_REQUEST.
   */
  kill(signal?: NodeJS.Signals): void
  /** The output is one stream, `merged`. */
  readonly result: Promise<Result>
}

export function ptyOf(running: Running | undefined, result: Promise<Result>): Pty {
  const process = running?.process
  const typed = process?.stdin
  return {
    write: async (data) => {
      checkTyped(data)
      await new Promise<void>((resolve) => {
        if (!typed || typed.destroyed) resolve()
        else typed.write(data, () => resolve())
      })
    },
    resize: (columns, rows) => {
      checkSize({ columns, rows })
      process?.resize?.(columns, rows)
    },
    kill: (signal) => {
      if (signal === undefined) return running?.stop('cancelled')
      checkSignal(signal)
      running?.signal(signal)
    },
    result,
  }
}
