import type { Enforcement, Environment, Mode } from '../base/types.ts'
import type { LoadedConfig } from '../config/load.ts'
import type { ProjectSettings } from '../config/origin.ts'
import type { Config } from '../config/schema.ts'
import type { LimitHolder, Limits } from '../launch/launch.ts'
import { isVitrineError, unavailable, VitrineError } from '../messages/error.ts'
import { privateTmpNote } from '../messages/limits.ts'
import type { NetworkKind } from '../network/access.ts'
import {
  commandEnvironment,
  type HostPlace,
  hasFossilSettings,
  hasGoCache,
  type ToolCaches,
  type Variables,
  withToolSettings,
} from '../request/environment.ts'
import { temporaryOf, unmetPrivateTmp } from '../sandbox/private-tmp.ts'
import type { Changes, Confinement, PrivateDirectories, Sandbox } from '../sandbox/sandbox.ts'
import type { BackendParts } from './backend.ts'

/** What a mode gives a command, with or without a private tmp; made once for each. */
export interface ModeSetup {
  /** Made when it is first needed. */
  readonly environment: () => Variables
  /** That of commands with a terminal of their own. */
  readonly inTerminal: () => Variables
  readonly place: HostPlace
  readonly confinement: Confinement | null
  /** In workspace mode. */
  readonly workspace: string | undefined
  /** Each command gets a directory in `temporary`; null: none. */
  readonly privateTmp: {
    readonly directories: PrivateDirectories
    readonly temporary: string
    /** Null: TMPDIR and its other names are all that it is told of. */
    readonly caches: ToolCaches | null
  } | null
  readonly limits: Limits | null
  readonly enforcement: Enforcement
  readonly projectSettings: ProjectSettings
}

interface SetupOptions {
  readonly config: Config
  readonly equipment: BackendParts
  /** What workspace mode may change, as of now. Throws SANDBOX_UNAVAILABLE. */
  readonly changes: () => Changes
  readonly network: NetworkKind
  readonly privateTmp: boolean
  readonly env: Environment
}

/** How the setups of a mode differ. */
interface Variant {
  readonly privateTmp: boolean
  readonly network: NetworkKind
  /** Read mode for a command of write mode, whose environment it gets. */
  readonly held: boolean
}

type Wanted = { readonly [K in keyof Variant]?: Variant[K] | undefined }

let lastWorld = 0

export class Setups {
  readonly #options: SetupOptions
  /** The shell's: its commands reach each other's sockets. */
  readonly #world = ++lastWorld
  readonly #made = new Map<string, { readonly setup: ModeSetup; readonly changes: Changes | null }>()

  constructor(options: SetupOptions) {
    this.#options = options
  }

  /** A mode's setup; never a stricter mode unconfined. Throws WRITE_MODE_REQUIRED, SANDBOX_UNAVAILABLE. */
  in(mode: Mode, given: Wanted = {}): ModeSetup {
    const isSandboxed = mode !== 'write'
    const privateTmp = given.privateTmp ?? (this.#options.privateTmp || mode === 'workspace')
    const network = given.network ?? this.#options.network
    const variant = { privateTmp: isSandboxed && privateTmp, network, held: given.held ?? false }
    if (isSandboxed && !this.#options.config.shell.sandbox) throw this.#withoutSandbox()
    const changes = mode === 'workspace' ? this.#options.changes() : null
    const name = `${mode} ${variant.privateTmp} ${network} ${variant.held}`
    const known = this.#made.get(name)
    if (known?.changes === changes) return known.setup
    const setup = this.#make(mode, variant, changes)
    this.#made.set(name, { setup, changes })
    return setup
  }

  /**
   * Read mode for a line of write mode, with a TMPDIR of its own where the system has one. Its network is shut, because it may run again.
   * Throws as `in`.
   */
  held(network: NetworkKind = 'none'): ModeSetup {
    const { sandbox } = this.#options.equipment
    return this.in('read', { privateTmp: sandbox.privateDirectories !== undefined, network, held: true })
  }

  /** Whether `held` has a setup that keeps the line from every effect. Containers have the network of all their commands. */
  canHold(): boolean {
    const { place } = this.#options.equipment
    const setup = ifAvailable(() => this.held())
    return setup !== undefined && (place !== 'container' || setup.enforcement['network']?.enforced === true)
  }

  /** What commands may change in workspace mode; undefined: this host does not offer it here. */
  changes(): Changes | undefined {
    return ifAvailable(() => {
      this.in('workspace')
      return this.#options.changes()
    })
  }

  #make(mode: Mode, variant: Variant, changes: Changes | null): ModeSetup {
    const { config, equipment } = this.#options
    const { sandbox, launcher, place, projectSettings, reads } = equipment
    const { privateTmp, held } = variant
    // What runs held may run again: it reaches no other process.
    const isAlone = held && variant.network === 'none'
    const hasSockets = config.shell.own_sockets && !isAlone && (changes !== null || privateTmp)
    const options = { ...variant, reads, changes, world: hasSockets ? this.#world : undefined }
    const limits = limitsOf(config.limits, privateTmp)
    const isWrite = mode === 'write'
    const rights = isWrite ? (sandbox.writeEnforcement?.() ?? {}) : sandbox.enforcement(options)
    const environment = this.#environment(mode, variant, false)
    return {
      environment,
      inTerminal: this.#environment(mode, variant, true),
      place,
      confinement: isWrite ? null : sandbox.confine(options),
      workspace: changes?.roots[0],
      privateTmp: privateTmp ? this.#privateTmp(mode, variant, environment) : null,
      limits,
      projectSettings,
      enforcement: { ...rights, ...limitsEnforcement(limits, launcher.limits) },
    }
  }

  #withoutSandbox(): VitrineError {
    const setBy = this.#options.equipment.projectSettings.get('shell.sandbox')
    return new VitrineError({ code: 'WRITE_MODE_REQUIRED', ...(setBy === undefined ? {} : { setBy }) })
  }

  #environment(given: Mode, { held, network }: Variant, terminal: boolean): () => Variables {
    const { config, equipment, env } = this.#options
    const mode = held ? 'write' : given
    return once(() => {
      const variables = commandEnvironment(env, config.env, { mode, held, terminal, place: equipment.place })
      return mode === 'write' ? variables : withToolSettings(variables, network !== 'none')
    })
  }

  #privateTmp(mode: Mode, variant: Variant, environment: () => Variables): ModeSetup['privateTmp'] {
    const { equipment, env } = this.#options
    const { ownTmp, privateDirectories: directories } = equipment.sandbox
    if (ownTmp) return null
    if (!directories) {
      const got = `${equipment.platform} has none`
      throw unavailable({ ...unmetPrivateTmp, got, remedy: 'set private_tmp = false' })
    }
    const temporary = temporaryOf(env)
    if (variant.held) return { directories, temporary, caches: null }
    const caches = {
      workspace: mode === 'workspace',
      network: variant.network !== 'none',
      goCache: hasGoCache(environment()),
      fossilSettings: hasFossilSettings(environment()),
    }
    return { directories, temporary, caches }
  }
}

function ifAvailable<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch (error) {
    if (isVitrineError(error)) return undefined
    throw error
  }
}

/** Makes a value when it is first asked for. */
export function once<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** The configured value, or else what the platform needs: on macOS here-documents write a file. */
export function privateTmpOf({ config, sources }: LoadedConfig, sandbox: Sandbox): boolean {
  const isGiven = sources['shell.private_tmp'].source !== 'default'
  return isGiven ? config.shell.private_tmp : (sandbox.privateTmpByDefault ?? config.shell.private_tmp)
}

/** Null if none is set. The size of the private tmp is limited only if there is one. */
export function limitsOf(config: Config['limits'], privateTmp: boolean): Limits | null {
  const limits = {
    memoryBytes: config.memory_bytes,
    cpuSeconds: config.cpu_seconds,
    processes: config.processes,
    openFiles: config.open_files,
    privateTmpBytes: privateTmp ? config.private_tmp_bytes : 0,
  }
  return Object.values(limits).some((value) => value > 0) ? limits : null
}

/** Throws SANDBOX_UNAVAILABLE when the configuration sets limits that nothing here can hold. */
export function checkLimits(config: Config['limits'], holder: LimitHolder): void {
  if ('by' in holder || limitsOf(config, false) === null) return
  throw unavailable({ for: 'limits', ...holder })
}

/** Without a holder only the default size of the private tmp gets here: other limits are refused. */
export function limitsEnforcement(limits: Limits | null, holder: LimitHolder): Enforcement {
  if (!limits) return {}
  if ('by' in holder) return { limits: { enforced: true, ...holder } }
  return { limits: { enforced: false, by: 'none', note: privateTmpNote(holder) } }
}
