import type { Result } from '../base/types.ts'
import { checkSignal } from '../request/signal.ts'
import { checkSize } from '../request/terminal.ts'
import type { RunningCommand, RunOptions } from './run.ts'

/** A command that runs in a terminal of its own. What it shows comes through `onOutput`, as `stdout`. */
export interface Pty {
  /**
   * Types: text goes as UTF-8, bytes as they are. Resolves when the terminal has taken them, or the command has ended and
   * nobody will. Nothing is lost on the way; but a terminal that reads line by line drops what is over 4095 bytes in one
   * line (termios(3), canonical mode).
   */
  write(data: string | Uint8Array): Promise<void>
  /** Changes the size, in characters from 1 to 65535; the program in the foreground gets SIGWINCH. Throws INVALID_REQUEST. */
  resize(columns: number, rows: number): void
  /**
   * Ends everything that runs in the terminal (SIGTERM, SIGHUP, `kill_grace_ms`, SIGKILL): the result says `cancelled`. With a
   * signal: sends that one, to the command's process group and to the one in the foreground. Throws INVALID_REQUEST.
   */
  kill(signal?: NodeJS.Signals): void
  /** With `ExecuteOptions.line`: what was typed since the last call, and read by no program of the line. */
  takeUnread(): Uint8Array
  /** With `ExecuteOptions.line`, after `onStopped`: lets the program go on in the foreground. */
  resume(): void
  /** How it ended. What it showed is one stream, `merged`. */
  readonly result: Promise<Result>
}

/** Starts a command in its terminal: `run` runs it to its end. Throws what `run` throws when it never ran. */
export async function startCommand(
  run: (onStarted: NonNullable<RunOptions['onStarted']>) => Promise<Result>,
): Promise<Pty> {
  let begin: NonNullable<RunOptions['onStarted']> = () => {}
  const started = new Promise<RunningCommand>((resolve) => {
    begin = resolve
  })
  const result = run((running) => begin(running))
  // What never ran has no result but the reason; a deadline may come before the start.
  const running = await Promise.race([started, result.then(() => undefined)])
  return ptyOf(running, result)
}

function ptyOf(running: RunningCommand | undefined, result: Promise<Result>): Pty {
  const typed = running?.launched.stdin
  const follower = running?.follower
  follower?.attend((text) => typed?.write(text))
  return {
    write: (data) =>
      new Promise((resolve) => {
        if (follower?.keeps(data) || !typed || typed.destroyed) resolve()
        else typed.write(data, () => resolve())
      }),
    takeUnread: () => follower?.takeUnread() ?? new Uint8Array(0),
    resume: () => follower?.resume(),
    resize: (columns, rows) => {
      checkSize({ columns, rows })
      running?.launched.resize?.(columns, rows)
    },
    kill: (signal) => {
      if (signal === undefined) return running?.supervision.stop('abort')
      checkSignal(signal)
      running?.supervision.signal(signal)
    },
    result,
  }
}
