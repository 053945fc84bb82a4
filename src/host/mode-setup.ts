import type { Enforcement, Environment, Mode } from '../base/types.ts'
import type { LoadedConfig } from '../config/load.ts'
import type { ProjectSettings } from '../config/project-settings.ts'
import type { Config } from '../config/schema.ts'
import type { Limits } from '../launch/launch.ts'
import { limitsEnforcement, limitsOf } from '../launch/limits.ts'
import { isVitrineError, VitrineError } from '../messages/error.ts'
import type { NetworkKind } from '../network/access.ts'
import { commandEnvironment, type GitCare, type HostPlace, type Variables } from '../request/environment.ts'
import { hasFossilSettings, hasGoCache, type ToolCaches, withToolSettings } from '../request/tools.ts'
import { temporaryOf, withoutPrivateTmp } from '../sandbox/private-tmp.ts'
import type {
  Changes,
  Confinement,
  PrivateDirectories,
  Reads,
  Sandbox,
  SandboxOptions,
} from '../sandbox/sandbox.ts'
import type { BackendParts } from './backend.ts'

/** What a mode gives a command, with or without a private tmp; made once for each. */
export interface ModeSetup {
  readonly environments: Readonly<Record<GitCare, Variables>>
  readonly place: HostPlace
  readonly confinement: Confinement | null
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
export function knownEnvironments(setup: ModeSetup): readonly Variables[] | undefined {
  const isKnown = setup.confinement === null && setup.place !== 'container'
  return isKnown ? Object.values(setup.environments) : undefined
}

export interface SetupOptions {
  readonly config: Config
  readonly equipment: BackendParts
  readonly reads: Reads
  /** What workspace mode may change, as of now. Throws SANDBOX_UNAVAILABLE. */
  readonly changes: () => Changes
  /** The kind of the shell's network. */
  readonly network: NetworkKind
  readonly privateTmp: boolean
  readonly env: Environment
}

/** How the setups of a mode differ. */
interface Variant {
  readonly privateTmp: boolean
  readonly network: NetworkKind
}

export class Setups {
  readonly #options: SetupOptions
  readonly #made = new Map<string, ModeSetup>()

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
    const name = `${mode} ${variant.privateTmp} ${variant.network}`
    const known = this.#made.get(name)
    if (known)
      return mode === 'workspace' ? { ...known, confinement: this.#confinement(mode, variant) } : known
    const setup = this.#make(mode, variant)
    this.#made.set(name, setup)
    return setup
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

  #sandboxOptions(mode: Mode, variant: Variant): SandboxOptions {
    const { config, reads, changes } = this.#options
    const unixSockets = config.shell.unix_sockets
    return { ...variant, reads, changes: mode === 'workspace' ? changes() : null, unixSockets }
  }

  #confinement(mode: Mode, variant: Variant): Confinement | null {
    return mode === 'write'
      ? null
      : this.#options.equipment.sandbox.confine(this.#sandboxOptions(mode, variant))
  }

  #make(mode: Mode, variant: Variant): ModeSetup {
    const { config, equipment } = this.#options
    const { privateTmp } = variant
    if (mode !== 'write' && !config.shell.sandbox) throw this.#withoutSandbox()
    const { sandbox, launcher } = equipment
    const options = this.#sandboxOptions(mode, variant)
    const limits = limitsOf(config.limits, privateTmp)
    const network = variant.network !== 'none'
    const quiet = (variables: Variables) =>
      mode === 'write' ? variables : withToolSettings(variables, network)
    const readOnly = quiet(this.#environment(mode, 'line'))
    const other = (gitCare: GitCare) => (mode === 'read' ? readOnly : quiet(this.#environment(mode, gitCare)))
    return {
      environments: { line: readOnly, steps: other('steps'), none: other('none') },
      place: equipment.place,
      confinement: this.#confinement(mode, variant),
      privateTmp: privateTmp ? this.#privateTmp(mode, { environment: readOnly, network }) : null,
      limits,
      projectSettings: equipment.projectSettings,
      enforcement: {
        ...(mode === 'write' ? sandbox.writeEnforcement?.() : sandbox.enforcement(options)),
        ...limitsEnforcement(limits, launcher.limits),
      },
    }
  }

  #withoutSandbox(): VitrineError {
    const setBy = this.#options.equipment.projectSettings.get('shell.sandbox')
    return new VitrineError({ code: 'WRITE_MODE_REQUIRED', ...(setBy === undefined ? {} : { setBy }) })
  }

  #environment(mode: Mode, gitCare: GitCare): Variables {
    const { config, equipment, env } = this.#options
    return commandEnvironment(env, config.env, { mode, gitCare, place: equipment.place })
  }

  #privateTmp(
    mode: Mode,
    { environment, network }: { readonly environment: Variables; readonly network: boolean },
  ): ModeSetup['privateTmp'] {
    const { equipment, env } = this.#options
    const { sandbox, platform } = equipment
    if (sandbox.ownTmp) return null
    if (!sandbox.privateDirectories) throw withoutPrivateTmp(platform)
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
