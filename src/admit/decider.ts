import { dirname } from 'node:path'
import type { Decision, Environment, Mode } from '../base/types.ts'
import { auditFiles, projectConfigFiles, trustStoreFile, userConfigFile } from '../config/files.ts'
import type { LoadedConfig } from '../config/load.ts'
import { type ProjectSettings, placeOfEntry, projectSettings } from '../config/origin.ts'
import { isVitrineError, VitrineError } from '../messages/error.ts'
import { ruleSetBy, setBy } from '../messages/project.ts'
import { decide } from '../policy/decide.ts'
import { type Places, pathsToResolve } from '../policy/paths.ts'
import { type PolicyRequest, planRequest, type RequestToDecide } from '../policy/plan.ts'
import { compareVerdicts } from '../policy/rules.ts'
import { buildRules, type FileOf, listOfRules, type RuleList, type RuleSet } from '../policy/ruleset.ts'
import type { HostPlace } from '../request/environment.ts'
import { dialectOf } from '../request/interpreter.ts'
import { answered, isUnanswered, whereIs } from '../request/lookup.ts'
import type { Invocation } from '../request/request.ts'
import { type SessionState, variablesOf } from '../request/state.ts'

export interface CommandToDecide {
  readonly work: Invocation
  readonly cwd: string
  readonly mode: Mode
  readonly env?: Environment | undefined
  /** Of the line's session. */
  readonly state?: SessionState | undefined
  /** Whether read mode can hold the line, and the line could run again in write mode. Default: it can. */
  readonly canHold?: (() => boolean) | undefined
}

export interface DeciderOptions {
  readonly loaded: LoadedConfig
  readonly cwd: string
  readonly env: Environment
  /** Where commands run; this determines which shell reads a line. */
  readonly place: HostPlace
}

/** Asks the policy. Starts nothing. */
export class Decider {
  readonly #rules: RuleSet
  /** With the preset that an untrusted project file has replaced: it asks about a few commands that the file's preset allows. */
  readonly #outerRules: RuleSet | undefined
  readonly #home: string
  readonly #ownPaths: readonly string[]
  readonly #projectSettings: ProjectSettings
  readonly #projectFiles: readonly string[]
  readonly #place: HostPlace
  readonly #program: string

  /** Throws CONFIG_INVALID for a faulty rule. */
  static async open(options: DeciderOptions): Promise<Decider> {
    const { config, outerPreset: preset } = options.loaded
    const outer = preset && { ...options.loaded, config: { ...config, policy: { ...config.policy, preset } } }
    const outerRules = outer && (await rulesOf(outer))
    return new Decider(await rulesOf(options.loaded), outerRules, options)
  }

  private constructor(
    rules: RuleSet,
    outerRules: RuleSet | undefined,
    { loaded, cwd, env, place }: DeciderOptions,
  ) {
    const { config, files } = loaded
    this.#rules = rules
    this.#outerRules = outerRules
    this.#projectSettings = projectSettings(loaded)
    this.#place = place
    this.#program = config.shell.program
    this.#home = env['HOME'] ?? ''
    this.#projectFiles = projectConfigFiles(cwd)
    // The agent cannot edit its own policy: config files, the trust store, audit logs.
    this.#ownPaths = [
      dirname(userConfigFile(env)),
      dirname(trustStoreFile(env)),
      ...this.#projectFiles,
      ...files.map(({ file }) => file),
      ...auditFiles(config.audit.path),
    ]
  }

  async decide({ work, cwd, mode, env = {}, state, canHold }: CommandToDecide): Promise<Decision> {
    const session = state && { ...state, variables: variablesOf(state) }
    const request = planRequest({
      work,
      cwd,
      mode,
      home: this.#home,
      shell: this.#shellOf(work),
      variables: { ...session?.variables, ...env },
      session,
      canHold: !this.#namesTemporary(work) && (canHold?.() ?? true),
    })
    const places = await this.#placesFor(request)
    const decided = decide(request, this.#rules, places)
    const outer = this.#outerRules && decide(request, this.#outerRules, places)
    const isLooser = outer && compareVerdicts(outer.verdict, decided.verdict) > 0
    if (!isLooser) return this.#named(decided)
    // What the project's preset holds stays held with a yes.
    return decided.held ? { ...outer, held: true } : outer
  }

  /** Where the words of a line lead that write mode would run. What read and workspace mode hold is theirs to know. */
  async #placesFor(request: PolicyRequest): Promise<Places> {
    const own = this.#ownPaths
    if (request.mode !== 'write' || this.#place === 'windows') return { real: new Map(), own }
    const paths = [...own, ...pathsToResolve(request)]
    const real = new Map<string, string>()
    let at = ''
    const resolve = async () => {
      for (at of paths) {
        const found = await whereIs(at).catch(() => undefined) // as for the command: it names nothing
        if (found !== undefined) real.set(at, found)
      }
    }
    try {
      await answered(resolve)
    } catch (error) {
      if (!isUnanswered(error)) throw error
      return { real, own, unanswered: at }
    }
    return { real, own: own.flatMap((path) => [path, real.get(path) ?? path]) }
  }

  /**
   * A held line has a TMPDIR of its own: what it finds or leaves there is not what write mode would. In a container that is all of
   * /tmp. Preset `analysis` has no line that writes.
   */
  #namesTemporary(work: Invocation): boolean {
    if (this.#rules.preset === 'analysis') return false
    const words = work.kind === 'line' ? work.line : work.argv.join(' ')
    const inContainer = this.#place === 'container' && /\/tmp\b|\/dev\/shm\b|~|\bHOME\b/.test(words)
    if (work.kind === 'argv' && work.own) return inContainer
    return inContainer || /\bTMPDIR\b|\$\{?TE?MP\b/.test(words)
  }

  /** Which language a line is in. */
  #shellOf(work: Invocation): RequestToDecide['shell'] {
    if (this.#place === 'windows') return 'powershell'
    return dialectOf((work.kind === 'line' ? work.program : undefined) ?? this.#program)
  }

  /** Adds the project file to a reason that follows from its rule or preset. */
  #named(decision: Decision): Decision {
    const { verdict, reason, matches } = decision
    const row = matches.find((match) => match.verdict === verdict && match.why === reason)
    const said = row && verdict !== 'allow' ? this.#projectBehind(row.source) : undefined
    return said === undefined ? decision : { ...decision, reason: `${reason} (${said})` }
  }

  #projectBehind(source: string): string | undefined {
    if (this.#projectFiles.some((file) => source.includes(file))) return ruleSetBy(source)
    const file = this.#projectSettings.get('policy.preset')
    return source.startsWith('preset ') && file !== undefined ? setBy('policy.preset', file) : undefined
  }

  rules(): RuleList {
    return listOfRules(this.#rules)
  }
}

/** Builds the rules. The place of a faulty one is looked up only on error. */
async function rulesOf(loaded: LoadedConfig): Promise<RuleSet> {
  const { config, sources } = loaded
  let asked: Parameters<FileOf> | undefined
  try {
    return buildRules(config.policy, (...entry) => {
      asked = entry
      return sources[`policy.${entry[0]}`].where || 'config'
    })
  } catch (error) {
    if (!asked || !isVitrineError(error) || error.refusal.code !== 'CONFIG_INVALID') throw error
    const place = await placeOfEntry(loaded, ...asked)
    throw place ? new VitrineError({ ...error.refusal, ...place }) : error
  }
}
