import {
  type Approver,
  currentDirectory,
  type Flags,
  type LoadedConfig,
  loadConfig,
  type Mode,
  openShell,
  type Scratchpad,
  type Shell,
  VitrineError,
} from '../internal.ts'
import { approverOf } from './approvers.ts'

/** What is fixed when the server starts. */
export interface ServerOptions {
  readonly version: string
  /** Default: the configuration's. */
  readonly mode?: Mode | 'both' | undefined
  readonly approve: 'client' | 'elicit' | 'none'
  readonly structured: boolean
  /** Names that other sessions of this user saved can be read too. Not where clients share the server. */
  readonly earlierSessions: boolean
  readonly cwd?: string | undefined
  readonly config?: string | undefined
  /** What the command line says in place of the configuration. */
  readonly flags?: Flags | undefined
  /** A line for the people who run the server. */
  readonly log: (line: string) => void
}

/** What the tools need of a shell. */
export type SessionShell = Pick<Shell, 'executeAll' | 'close' | 'config' | 'scratchpad'>

export type OpenShell = (options: {
  readonly mode: Mode
  readonly config: LoadedConfig
  readonly scratchpad: Scratchpad | undefined
  readonly approver: Approver | undefined
}) => Promise<SessionShell>

/** The shells of one client: one for each mode it may use, with one scratchpad. */
export class Session {
  readonly options: ServerOptions
  readonly #open: OpenShell
  readonly #shells: Partial<Record<Mode, Promise<SessionShell>>> = {}
  #opened: Promise<unknown> = Promise.resolve()
  #config: Promise<LoadedConfig> | undefined
  #scratchpad: Scratchpad | undefined
  #running = 0
  #usedMs = Date.now()
  #closed = false

  constructor(
    options: ServerOptions,
    open: OpenShell = (given) => openShell({ ...given, cwd: options.cwd }),
  ) {
    this.options = options
    this.#open = open
  }

  /** What has been saved; undefined until a shell is open. */
  get scratchpad(): Scratchpad | undefined {
    return this.#scratchpad
  }

  /** Whether a command runs. */
  get isBusy(): boolean {
    return this.#running > 0
  }

  /** The modes that the server is asked to serve. With a configuration that cannot be read, read mode. */
  async modes(): Promise<readonly Mode[]> {
    const { mode } = this.options
    if (mode === 'both') return ['read', 'write']
    if (mode !== undefined) return [mode]
    return this.#loaded().then(
      ({ config }) => [config.shell.mode],
      () => ['read'],
    )
  }

  /** Where the configuration switches the sandbox off, and with it read mode; undefined where it does not. */
  async sandboxOff(): Promise<string | undefined> {
    return this.#loaded().then(
      ({ config, sources }) => (config.shell.sandbox ? undefined : sources['shell.sandbox'].where),
      () => undefined,
    )
  }

  /** The modes that a command can run in: each has a tool. */
  async servedModes(): Promise<readonly Mode[]> {
    const [modes, sandboxOff] = await Promise.all([this.modes(), this.sandboxOff()])
    return sandboxOff === undefined ? modes : modes.filter((mode) => mode === 'write')
  }

  /** Opens the shells that there will be tools for. Who needs one is told what failed. */
  async warm(): Promise<void> {
    const modes = await this.servedModes()
    await Promise.allSettled(modes.map((mode) => this.shell(mode)))
  }

  /** The shell of a mode. What failed is tried again with the next call: the user may have mended it. */
  async shell(mode: Mode): Promise<SessionShell> {
    const known = this.#shells[mode]
    if (known) return known
    // One after the other: the second shell takes the first one's scratchpad.
    const opening = this.#opened.then(() => this.#openIn(mode))
    this.#shells[mode] = opening
    this.#opened = opening.catch(() => delete this.#shells[mode])
    return opening
  }

  /** Milliseconds since the epoch. */
  get usedMs(): number {
    return this.#usedMs
  }

  /** Somebody is there. */
  touch(): void {
    this.#usedMs = Date.now()
  }

  /** Counts what runs, so that nobody closes a session that is at work. */
  async busy<T>(work: () => Promise<T>): Promise<T> {
    this.#running++
    try {
      return await work()
    } finally {
      this.#running--
      this.touch()
    }
  }

  /** Kills what runs. */
  async close(): Promise<void> {
    this.#closed = true
    const shells = await Promise.allSettled(Object.values(this.#shells))
    await Promise.all(shells.map((shell) => (shell.status === 'fulfilled' ? shell.value.close() : undefined)))
  }

  async #openIn(mode: Mode): Promise<SessionShell> {
    const config = await this.#loaded()
    if (this.#closed) throw new VitrineError({ code: 'INVALID_REQUEST', problem: { kind: 'shell-closed' } })
    const approver = approverOf(this.options.approve, mode)
    const shell = await this.#open({ mode, config, scratchpad: this.#scratchpad, approver })
    this.#scratchpad ??= shell.scratchpad
    return shell
  }

  #loaded(): Promise<LoadedConfig> {
    const { cwd, config: configFile, flags } = this.options
    this.#config ??= loadConfig({ cwd: cwd ?? currentDirectory(), env: process.env, configFile, flags })
    this.#config.catch(() => {
      this.#config = undefined
    })
    return this.#config
  }
}
