import type { Enforcement, Environment, Mode } from '../base/types.ts'
import type { LoadedConfig } from '../config/load.ts'
import type { ProjectSettings } from '../config/project-settings.ts'
import type { Config } from '../config/schema.ts'
import type { Limits } from '../launch/launch.ts'
import { limitsEnforcement, limitsOf } from '../launch/limits.ts'
import { isVitrineError, unavailable, VitrineError } from '../messages/error.ts'
import { noPrivateTmpOn } from '../messages/private-tmp.ts'
import type { NetworkKind } from '../network/access.ts'
import {
  commandEnvironment,
  type Environments,
  type HostPlace,
  type Variables,
  whenUsed,
} from '../request/environment.ts'
import { hasFossilSettings, hasGoCache, type ToolCaches, withToolSettings } from '../request/tools.ts'
import { temporaryOf } from '../sandbox/private-tmp.ts'
import type { Changes, Confinement, PrivateDirectories, Sandbox, SandboxOptions } from '../sandbox/sandbox.ts'
import type { BackendParts } from './backend.ts'

/** What a mode gives a command, with or without a private tmp; made once for each. */
export interface ModeSetup {
  readonly environments: Environments
  /** Those of commands with a terminal of their own. */
  readonly inTerminal: Environments
  readonly place: HostPlace
  readonly confinement: Confinement | null
  /** In workspace mode. */
  readonly workspace: string | undefined
  /** Each command gets a directory in `temporary`; null: none. */
  readonly privateTmp: {
    readonly directories: PrivateDirectories
    readonly temporary: string
    readonly caches: ToolCaches
  } | null
  readonly limits: Limits | null
  readonly enforcement: Enforcement
  readonly projectSettings: ProjectSettings
}

/** The environments that the policy may know: none in a container, which has its own, or in a sandboxed mode. */
export function knownEnvironments(setup: ModeSetup, terminal: boolean): Environments | undefined {
  const isKnown = setup.confinement === null && setup.place !== 'container'
  return isKnown ? environmentsOf(setup, terminal) : undefined
}

export function environmentsOf({ environments, inTerminal }: ModeSetup, terminal: boolean): Environments {
  return terminal ? inTerminal : environments
}

export interface SetupOptions {
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
    }
    if (mode !== 'write' && !this.#options.config.shell.sandbox) throw this.#withoutSandbox()
    const changes = mode === 'workspace' ? this.#options.changes() : null
    const name = `${mode} ${variant.privateTmp} ${variant.network}`
    const known = this.#made.get(name)
    if (known?.changes === changes) return known.setup
    const options = this.#sandboxOptions(variant, changes)
    const setup = known
      ? {
          ...known.setup,
          confinement: this.#confinement(mode, options),
          enforcement: this.#enforcement(mode, options),
        }
      : this.#make(mode, options)
    this.#made.set(name, { setup, changes })
    return setup
  }

  /**
   * Has the ruleset and filter of a shell's first command made in the background. Only those that commands share: with a
   * private directory, in workspace mode and with a proxy each command gets its own.
   */
  prepareFirst(mode: Mode, cwd: string): void {
    const { config, equipment, network, privateTmp } = this.#options
    if (mode !== 'read' || !config.shell.sandbox || network === 'hosts' || privateTmp) return
    equipment.launcher.prepare?.({ cwd, confinement: this.in(mode).confinement })
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
    const own = config.shell.own_sockets && (changes !== null || variant.privateTmp)
    return {
      ...variant,
      reads: equipment.reads,
      changes,
      unixSockets: config.shell.unix_sockets,
      world: own ? this.#world : undefined,
    }
  }

  #confinement(mode: Mode, options: SandboxOptions): Confinement | null {
    return mode === 'write' ? null : this.#options.equipment.sandbox.confine(options)
  }

  #make(mode: Mode, options: SandboxOptions): ModeSetup {
    const { config, equipment } = this.#options
    const { privateTmp } = options
    const limits = limitsOf(config.limits, privateTmp)
    const network = options.network !== 'none'
    const environments = this.#environments(mode, network, false)
    return {
      environments,
      inTerminal: this.#environments(mode, network, true),
      place: equipment.place,
      confinement: this.#confinement(mode, options),
      workspace: options.changes?.roots[0],
      privateTmp: privateTmp ? this.#privateTmp(mode, { environment: environments.line, network }) : null,
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

  #environments(mode: Mode, network: boolean, terminal: boolean): Environments {
    const { config, equipment, env } = this.#options
    const purpose = { mode, place: equipment.place, terminal }
    const environments: Environments = whenUsed((gitCare) => {
      if (mode === 'read' && gitCare !== 'line') return environments.line
      const variables = commandEnvironment(env, config.env, { ...purpose, gitCare })
      return mode === 'write' ? variables : withToolSettings(variables, network)
    })
    return environments
  }

  #privateTmp(
    mode: Mode,
    { environment, network }: { readonly environment: Variables; readonly network: boolean },
  ): ModeSetup['privateTmp'] {
    const { equipment, env } = this.#options
    const { sandbox, platform } = equipment
    if (sandbox.ownTmp) return null
    if (!sandbox.privateDirectories) throw unavailable(noPrivateTmpOn(platform))
    const caches = {
      workspace: mode === 'workspace',
      network,
      goCache: hasGoCache(environment),
      fossilSettings: hasFossilSettings(environment),
    }
    return { directories: sandbox.privateDirectories, temporary: temporaryOf(env), caches }
  }
}

/** The configured value, or else what the platform needs: on macOS here-documents write a file. */
export function privateTmpOf({ config, sources }: LoadedConfig, sandbox: Sandbox): boolean {
  const isGiven = sources['shell.private_tmp'].source !== 'default'
  return isGiven ? config.shell.private_tmp : (sandbox.privateTmpByDefault ?? config.shell.private_tmp)
}
