import {
  type Approver,
  BackgroundTools,
  checkScratchpadName,
  currentDirectory,
  type Flags,
  type LoadedConfig,
  loadConfig,
  type Mode,
  openShell,
  type Scratchpad,
  type Session,
  type Shell,
  scratchpadIn,
  VitrineError,
} from '../internal.ts'
import { elicitingApprover } from './call.ts'

export interface ServerOptions {
  readonly version: string
  /** Default: the configured mode. */
  readonly modes?: readonly Mode[] | undefined
  /** Several modes get a tool each, not one between them. */
  readonly toolPerMode: boolean
  readonly approve: 'client' | 'elicit' | 'none'
  readonly structured: boolean
  /** Offers tools for files, too. */
  readonly files?: boolean | undefined
  /** Also allow reading what other sessions of this user saved. Not where clients share the server. */
  readonly earlierSessions: boolean
  readonly cwd?: string | undefined
  readonly config?: string | undefined
  readonly flags?: Flags | undefined
  readonly workspace?: string | undefined
  /** Where outputs are saved. Default: the user's own directory. */
  readonly scratchpadIn?: string | undefined
  /** Absolute paths that commands may not read, besides those of the configuration. */
  readonly unreadable?: readonly string[] | undefined
  /** Writes a line for the people who run the server. */
  readonly log: (line: string) => void
}

export type SessionShell = Pick<
  Shell,
  'executeAll' | 'background' | 'close' | 'config' | 'files' | 'scratchpad' | 'session'
>

/** Each may hold half a megabyte. */
const maxSessions = 64
const tooManySessions = {
  code: 'INVALID_REQUEST',
  problem: { kind: 'usage', detail: `There are ${maxSessions} sessions, the most. Use one of them.` },
} as const

/** What a server serves. */
export interface Served {
  /** The modes that it is asked to serve. */
  readonly asked: readonly Mode[]
  /** Those of them in which a command can run. */
  readonly modes: readonly Mode[]
  /** Where the configuration turns off the sandbox, if it does. */
  readonly sandboxOff: string | undefined
}

/** The shells of one client: one per mode it may use, sharing one scratchpad. */
export class McpSession {
  readonly options: ServerOptions
  readonly background = new BackgroundTools()
  readonly #shells: Partial<Record<Mode, Promise<SessionShell>>> = {}
  readonly #sessions = new Map<string, Session>()
  #opened: Promise<unknown> = Promise.resolve()
  #config: Promise<LoadedConfig> | undefined
  #scratchpad: Scratchpad | undefined
  #running = 0
  #calls = 0
  #usedMs = Date.now()
  #closed = false
  #ending = false

  constructor(options: ServerOptions) {
    this.options = options
    if (options.scratchpadIn !== undefined) this.#scratchpad = scratchpadIn(options.scratchpadIn)
  }

  get scratchpad(): Scratchpad | undefined {
    return this.#scratchpad
  }

  /** It is closed because its server ends, and clients still wait for answers. */
  get isEnding(): boolean {
    return this.#ending
  }

  /** A call waits for its answer. */
  get isAnswering(): boolean {
    return this.#running > 0
  }

  /** A command runs, or is to run. */
  get isBusy(): boolean {
    return this.isAnswering || this.background.running > 0
  }

  /** That have been made. */
  get calls(): number {
    return this.#calls
  }

  /** Read mode if the configuration cannot be read. */
  async served(): Promise<Served> {
    const loaded = await this.#loaded().catch(() => undefined)
    const asked = this.options.modes ?? [loaded?.config.shell.mode ?? 'read']
    if (!loaded || loaded.config.shell.sandbox) return { asked, modes: asked, sandboxOff: undefined }
    const modes = asked.filter((mode) => mode === 'write')
    return { asked, modes, sandboxOff: loaded.sources['shell.sandbox'].where }
  }

  /** Opens the shells for the tools. Failures are reported by the calls that need the shell. */
  async warm(): Promise<void> {
    const { modes } = await this.served()
    await Promise.allSettled(modes.map((mode) => this.shell(mode)))
  }

  /** The shell of a mode. A failed opening is retried by the next call: the user may have fixed the cause. */
  async shell(mode: Mode): Promise<SessionShell> {
    const known = this.#shells[mode]
    if (known) return known
    // One after the other: the second shell shares the first one's scratchpad.
    const opening = this.#opened.then(() => this.#openIn(mode))
    this.#shells[mode] = opening
    this.#opened = opening.catch(() => delete this.#shells[mode])
    return opening
  }

  /** What runs the lines of a call: the shell, or one of its sessions by name. Throws INVALID_REQUEST for a name that is none. */
  inSession(shell: SessionShell, mode: Mode, name: unknown): Pick<SessionShell, 'config' | 'executeAll'> {
    if (name === undefined) return shell
    checkScratchpadName(name, 'session')
    const key = `${mode} ${name}`
    const known = this.#sessions.get(key) ?? shell.session()
    if (this.#sessions.size >= maxSessions && !this.#sessions.has(key))
      throw new VitrineError(tooManySessions)
    this.#sessions.set(key, known)
    return { config: shell.config, executeAll: (requests, options) => known.executeAll(requests, options) }
  }

  /** When it was last used. */
  get usedMs(): number {
    return this.#usedMs
  }

  touch(): void {
    this.#usedMs = Date.now()
  }

  /** Runs `work` and marks the session as busy, so that it is not closed. */
  async busy<T>(work: () => Promise<T>): Promise<T> {
    this.#running++
    this.#calls++
    try {
      return await work()
    } finally {
      this.#running--
      this.touch()
    }
  }

  /** `ending`: what it ends is told why. */
  async close({ ending = false }: { readonly ending?: boolean } = {}): Promise<void> {
    this.#closed = true
    this.#ending ||= ending
    const shells = await Promise.allSettled(Object.values(this.#shells))
    await Promise.all(shells.map((shell) => (shell.status === 'fulfilled' ? shell.value.close() : undefined)))
  }

  async #openIn(mode: Mode): Promise<SessionShell> {
    const config = await this.#loaded()
    if (this.#closed) throw new VitrineError({ code: 'INVALID_REQUEST', problem: { kind: 'shell-closed' } })
    const { cwd, workspace, approve } = this.options
    const approver = approverOf(approve, mode)
    const shell = await openShell({ mode, config, scratchpad: this.#scratchpad, approver, cwd, workspace })
    this.#scratchpad ??= shell.scratchpad
    return shell
  }

  #loaded(): Promise<LoadedConfig> {
    const { cwd, config: configFile, flags, unreadable } = this.options
    const options = { cwd: cwd ?? currentDirectory(), env: process.env, configFile, flags }
    this.#config ??= loadConfig(options).then((loaded) => withUnreadable(loaded, unreadable))
    this.#config.catch(() => {
      this.#config = undefined
    })
    return this.#config
  }
}

function withUnreadable(loaded: LoadedConfig, more: readonly string[] = []): LoadedConfig {
  if (more.length === 0) return loaded
  const { shell } = loaded.config
  const unreadable = [...shell.unreadable, ...more]
  return { ...loaded, config: { ...loaded.config, shell: { ...shell, unreadable } } }
}

/** Approves what the policy asks about; undefined: `[policy] unattended` decides. */
function approverOf(approve: ServerOptions['approve'], mode: Mode): Approver | undefined {
  if (approve === 'elicit') return elicitingApprover
  // Clients run a read-only tool without asking, so in read mode no user has said yes.
  return approve === 'client' && mode === 'write' ? clientApprover : undefined
}

const clientApprover: Approver = Object.assign(async () => 'yes' as const, { by: 'mcp-client' })
