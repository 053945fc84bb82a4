import type { Enforcement, Environment, Mode } from '../base/types.ts'
import type { LoadedConfig } from '../config/load.ts'
import type { ProjectSettings } from '../config/origin.ts'
import type { Config } from '../config/schema.ts'
import type { LimitHolder, Limits } from '../launch/launch.ts'
import { isVitrineError, unavailable, VitrineError } from '../messages/error.ts'
import { privateTmpNote } from '../messages/limits.ts'
import { noPrivateTmpOn } from '../messages/private-tmp.ts'
import type { NetworkKind } from '../network/access.ts'
import {
  commandEnvironment,
  type HostPlace,
  hasFossilSettings,
  hasGoCache,
  type Purpose,
  type ToolCaches,
  type Variables,
  withToolSettings,
} from '../request/environment.ts'
import { temporaryOf } from '../sandbox/private-tmp.ts'
import type { Changes, Confinement, PrivateDirectories, Sandbox, SandboxOptions } from '../sandbox/sandbox.ts'
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
  in(mode: Mode, given: { readonly [K in keyof Variant]?: Variant[K] | undefined } = {}): ModeSetup {
    const privateTmp = given.privateTmp ?? (this.#options.privateTmp || mode === 'workspace')
    const variant = {
      privateTmp: mode !== 'write' && privateTmp,
      network: given.network ?? this.#options.network,
      held: given.held ?? false,
    }
    if (mode !== 'write' && !this.#options.config.shell.sandbox) throw this.#withoutSandbox()
    const changes = mode === 'workspace' ? this.#options.changes() : null
    const name = `${mode} ${variant.privateTmp} ${variant.network} ${variant.held}`
    const known = this.#made.get(name)
    if (known?.changes === changes) return known.setup
    const options = this.#sandboxOptions(variant, changes)
    const setup = known
      ? {
          ...known.setup,
          confinement: this.#confinement(mode, options),
          enforcement: this.#enforcement(mode, options),
        }
      : this.#make(mode, options, variant.held)
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
    const { equipment } = this.#options
    try {
      const { network } = this.held().enforcement
      return equipment.place !== 'container' || network?.enforced === true
    } catch (error) {
      if (isVitrineError(error)) return false
      throw error
    }
  }

  /** What commands may change in workspace mode; undefined: this host does not offer it here. */
  changes(): Changes | undefined {
    try {
      this.in('workspace')
      return this.#options.changes()
    } catch (error) {
      if (isVitrineError(error)) return undefined
      throw error
    }
  }

  #sandboxOptions(variant: Variant, changes: Changes | null): SandboxOptions {
    const { config, equipment } = this.#options
    // What runs held may run again: it reaches no other process.
    const isAlone = variant.held && variant.network === 'none'
    const own = config.shell.own_sockets && !isAlone && (changes !== null || variant.privateTmp)
    return {
      ...variant,
      reads: equipment.reads,
      changes,
      world: own ? this.#world : undefined,
    }
  }

  #confinement(mode: Mode, options: SandboxOptions): Confinement | null {
    return mode === 'write' ? null : this.#options.equipment.sandbox.confine(options)
  }

  #make(mode: Mode, options: SandboxOptions, held: boolean): ModeSetup {
    const { config, equipment } = this.#options
    const { privateTmp } = options
    const limits = limitsOf(config.limits, privateTmp)
    const network = options.network !== 'none'
    const environment = this.#environment({ mode, held, terminal: false }, network)
    return {
      environment,
      inTerminal: this.#environment({ mode, held, terminal: true }, network),
      place: equipment.place,
      confinement: this.#confinement(mode, options),
      workspace: options.changes?.roots[0],
      privateTmp: privateTmp ? this.#privateTmp(mode, { environment, network, held }) : null,
      limits,
      projectSettings: equipment.projectSettings,
      enforcement: this.#enforcement(mode, options),
    }
  }

  #enforcement(mode: Mode, options: SandboxOptions): Enforcement {
    const { config, equipment } = this.#options
    const { sandbox, launcher } = equipment
    const rights = mode === 'write' ? (sandbox.writeEnforcement?.() ?? {}) : sandbox.enforcement(options)
    // Not copied: on macOS a getter tells when the log of refusals is lost.
    return Object.assign(
      rights,
      limitsEnforcement(limitsOf(config.limits, options.privateTmp), launcher.limits),
    )
  }

  #withoutSandbox(): VitrineError {
    const setBy = this.#options.equipment.projectSettings.get('shell.sandbox')
    return new VitrineError({ code: 'WRITE_MODE_REQUIRED', ...(setBy === undefined ? {} : { setBy }) })
  }

  #environment(
    { mode, ...given }: Pick<Purpose, 'mode' | 'terminal'> & { readonly held: boolean },
    network: boolean,
  ): () => Variables {
    const { config, equipment, env } = this.#options
    const purpose = { ...given, mode: given.held ? 'write' : mode, place: equipment.place } as const
    let made: Variables | undefined
    return () => {
      if (made) return made
      const variables = commandEnvironment(env, config.env, purpose)
      made = purpose.mode === 'write' ? variables : withToolSettings(variables, network)
      return made
    }
  }

  #privateTmp(
    mode: Mode,
    {
      environment,
      network,
      held,
    }: { readonly environment: () => Variables; readonly network: boolean; readonly held: boolean },
  ): ModeSetup['privateTmp'] {
    const { equipment, env } = this.#options
    const { sandbox, platform } = equipment
    if (sandbox.ownTmp) return null
    if (!sandbox.privateDirectories) throw unavailable(noPrivateTmpOn(platform))
    const temporary = temporaryOf(env)
    if (held) return { directories: sandbox.privateDirectories, temporary, caches: null }
    const variables = environment()
    const caches = {
      workspace: mode === 'workspace',
      network,
      goCache: hasGoCache(variables),
      fossilSettings: hasFossilSettings(variables),
    }
    return { directories: sandbox.privateDirectories, temporary, caches }
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
  return { limits: { enforced: false, by: 'none', note: privateTmpNote(holder, limits.privateTmpBytes) } }
}
