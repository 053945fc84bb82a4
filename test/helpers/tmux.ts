import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { afterFile } from './clean-up.ts'
import { makeDirectory } from './place.ts'
import { allProcesses, waitFor } from './processes.ts'

/** A real terminal with a shell in it: 80 columns, 24 rows. Closed after the file's last test. */
export class Tmux {
  readonly #directory = makeDirectory()
  readonly #socket = join(this.#directory, 'tmux')
  /** Gets what the shell prints: while it does not grow, the screen is as before. */
  readonly #printed = join(this.#directory, 'printed')
  readonly #env: NodeJS.ProcessEnv
  readonly #session: number

  /** @param env the environment of the shell */
  constructor(env: NodeJS.ProcessEnv, cwd: string) {
    this.#env = { ...env, ENV: '', TERM: 'screen', LC_ALL: 'C.UTF-8' }
    delete this.#env['TMUX']
    // One word alone would be run by the user's own shell, which may stay as its parent (tmux(1), new-session).
    const session = ['new-session', '-d', '-x', '80', '-y', '24', '-c', cwd, 'env', 'sh']
    this.#run('-f', '/dev/null', ...session, ';', 'pipe-pane', `exec cat > '${this.#printed}'`)
    this.#session = this.pid
    afterFile(() => this.close())
  }

  /** Types a line, with Enter. */
  line(text: string): void {
    this.#run('send-keys', '-l', '--', literal(text), ';', 'send-keys', 'Enter')
  }

  /** Types characters as they are; the terminal gets them at once. */
  type(text: string): void {
    this.#run('send-keys', '-l', '--', literal(text))
  }

  /** Presses one key, by tmux's name for it. */
  key(name: string): void {
    this.#run('send-keys', name)
  }

  /** What stands on the screen, and above it: lines that the terminal broke are whole, and without blanks at their ends. */
  screen(): string {
    return withoutBlanks(this.#run('capture-pane', '-p', '-J', '-S', '-'))
  }

  /** Removes what stands above the screen. */
  forget(): void {
    this.#run('clear-history')
  }

  /** What stands on the screen, with the sequences that colour it. */
  coloured(): string {
    return this.#run('capture-pane', '-p', '-e')
  }

  /** Changes the size of the window. */
  resize(columns: number, rows: number): void {
    this.#run('resize-window', '-x', String(columns), '-y', String(rows))
  }

  /** The same by rows, as a person sees them. */
  rows(): readonly string[] {
    return withoutBlanks(this.#run('capture-pane', '-p', '-S', '-')).split('\n')
  }

  /** The screen, as soon as it matches; throws with the screen when it does not in time. */
  async shows(text: string | RegExp, withinMs = 50_000): Promise<string> {
    const deadline = Date.now() + withinMs
    for (;;) {
      const printed = this.#size()
      const screen = this.screen()
      if (typeof text === 'string' ? screen.includes(text) : text.test(screen)) return screen
      if (Date.now() > deadline) throw new Error(`no ${String(text)} on the screen:\n${screen}`)
      // Also without output: tmux itself can change the screen, for example its size.
      await waitFor(() => this.#size() > printed, 1000)
    }
  }

  #size(): number {
    return statSync(this.#printed, { throwIfNoEntry: false })?.size ?? 0
  }

  /** The process id of the shell. */
  get pid(): number {
    return Number(this.#run('display-message', '-p', '#{pane_pid}'))
  }

  /** Closes the terminal, as when its window is closed: what runs in it gets a hangup. */
  closeWindow(): void {
    this.#run('kill-pane')
  }

  /** Returns once what ran in it has ended: a shell that is hung up still writes its history. */
  async close(): Promise<void> {
    try {
      this.#run('kill-server')
    } catch {
      // Its last window has been closed, and with it the server.
    }
    await waitFor(() => !allProcesses().some(({ session, running }) => session === this.#session && running))
  }

  #run(...args: string[]): string {
    return execFileSync('tmux', ['-S', this.#socket, ...args], {
      env: this.#env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }
}

/** A semicolon at the end of a word separates tmux's commands, unless a backslash precedes it (tmux(1), parsing). */
function literal(text: string): string {
  return text.replace(/;$/, '\\;')
}

function withoutBlanks(text: string): string {
  return text.replace(/ +$/gm, '').trimEnd()
}
