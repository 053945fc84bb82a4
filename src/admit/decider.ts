import { dirname } from 'node:path'
import type { Environment, Mode } from '../base/types.ts'
import { auditFiles, projectConfigFiles, trustStoreFile, userConfigFile } from '../config/files.ts'
import type { LoadedConfig } from '../config/load.ts'
import { placeOfEntry } from '../config/origin.ts'
import { type ProjectSettings, projectSettings } from '../config/project-settings.ts'
import { checkDirectory } from '../facts/directory.ts'
import { gatherFacts } from '../facts/gather.ts'
import { Lookup, type PathLookup } from '../facts/lookup.ts'
import { secondLimitMs } from '../facts/silent.ts'
import { isVitrineError, VitrineError } from '../messages/error.ts'
import { ruleSetBy, setBy } from '../messages/project.ts'
import { decideRequest, type PolicyDecision } from '../policy/decide/decide.ts'
import { listOfRules, type RuleList } from '../policy/decide/list.ts'
import type { RequestToDecide } from '../policy/decide/plan.ts'
import { buildRules, type OriginOf, type RuleOrigin, type RuleSet } from '../policy/decide/ruleset.ts'
import { valuesIn } from '../policy/decide/values.ts'
import { compareVerdicts } from '../policy/rules/verdict.ts'
import type { Environments, HostPlace } from '../request/environment.ts'
import { dialectOf, usualPath } from '../request/interpreter.ts'
import type { Invocation } from '../request/request.ts'
import { Plans } from './plans.ts'

export interface CommandToDecide {
  readonly work: Invocation
  readonly cwd: string
  readonly mode: Mode
  readonly env?: Environment | undefined
  /** Names in `env` that earlier lines of the session left. */
  readonly state?: readonly string[] | undefined
  /** Every environment that the command may get, before `env` is added. Undefined: not known. */
  readonly environments?: Environments | undefined
}

export interface DeciderOptions {
  readonly loaded: LoadedConfig
  readonly cwd: string
  readonly env: Environment
  readonly pathLookup: PathLookup
  /** Where commands run; this determines which shell reads a line. */
  readonly place: HostPlace
}

/** Gathers the facts that a decision needs, and asks the policy. Starts nothing. */
export class Decider {
  readonly #rules: RuleSet
  /** With the preset that an untrusted project file has replaced: it asks about a few commands that the file's preset allows. */
  readonly #outerRules: RuleSet | undefined
  readonly #workspace: string
  readonly #home: string
  readonly #ownPaths: readonly string[]
  readonly #programPath: string
  readonly #projectSettings: ProjectSettings
  readonly #projectFiles: readonly string[]
  readonly #projects: readonly string[]
  readonly #pathLookup: PathLookup
  readonly #place: HostPlace
  readonly #program: string
  readonly #plans = new Plans()

  /** Throws CONFIG_INVALID for a faulty rule. `originOf`: where a rule is said to be; default: its file. */
  static async open(options: DeciderOptions, originOf?: OriginOf): Promise<Decider> {
    const { config, outerPreset: preset } = options.loaded
    const outer = preset && { ...options.loaded, config: { ...config, policy: { ...config.policy, preset } } }
    const outerRules = outer && (await rulesOf(outer, originOf))
    return new Decider(await rulesOf(options.loaded, originOf), outerRules, options)
  }

  private constructor(
    rules: RuleSet,
    outerRules: RuleSet | undefined,
    { loaded, cwd, env, pathLookup, place }: DeciderOptions,
  ) {
    const { config, files, outerWorkspace = '' } = loaded
    this.#rules = rules
    this.#outerRules = outerRules
    this.#projectSettings = projectSettings(loaded)
    this.#pathLookup = pathLookup
    this.#place = place
    this.#program = config.shell.program
    this.#workspace = config.policy.workspace
    this.#home = env['HOME'] ?? ''
    // Programs of a container are not looked up on this machine.
    this.#programPath =
      config.shell.backend === 'docker' ? '' : (config.env.set['PATH'] ?? env['PATH'] ?? usualPath)
    const projectFiles = projectConfigFiles(cwd)
    this.#projectFiles = projectFiles
    this.#projects = [
      config.policy.workspace,
      outerWorkspace,
      ...projectFiles.slice(0, 1).map(dirname),
      cwd,
    ].filter((path) => path !== '')
    // The agent cannot edit its own policy: config files, the trust store, audit logs.
    this.#ownPaths = [
      dirname(userConfigFile(env)),
      dirname(trustStoreFile(env)),
      ...projectFiles,
      ...files.map(({ file }) => file),
      ...auditFiles(config.audit.path),
    ]
  }

  /** Lookups may take `lookupLimitMs`. If one is unanswered, all are repeated, within `againMs`. Throws INVALID_REQUEST. */
  async decide(
    { work, cwd, mode, env = {}, state, environments }: CommandToDecide,
    againMs = secondLimitMs,
  ): Promise<PolicyDecision> {
    const { request, needed } = this.#plans.of({
      work,
      cwd,
      mode,
      home: this.#home,
      shell: this.#shellOf(work),
      variables: env,
      state,
      variableValue: environments && valuesIn(environments, env),
    })
    const context = {
      workspace: this.#workspace,
      ownPaths: this.#ownPaths,
      programPath: this.#programPath,
      projects: [...this.#projects, cwd],
    }
    const lookup = new Lookup(this.#pathLookup)
    const first = await gatherFacts(needed, context, lookup)
    await checkDirectory(cwd, this.#pathLookup, lookup)
    const isKnown = first.unanswered.length === 0
    const facts = isKnown ? first : await gatherFacts(needed, context, new Lookup(this.#pathLookup, againMs))
    const decided = decideRequest(request, this.#rules, facts)
    const outer = this.#outerRules && decideRequest(request, this.#outerRules, facts)
    const isLooser = outer && compareVerdicts(outer.decision.verdict, decided.decision.verdict) > 0
    return isLooser ? outer : this.#named(decided)
  }

  /** Which language a line is in. */
  #shellOf(work: Invocation): RequestToDecide['shell'] {
    if (this.#place === 'windows') return 'powershell'
    return dialectOf((work.kind === 'line' ? work.program : undefined) ?? this.#program)
  }

  /** Adds the project file to a reason that follows from its rule, preset or workspace. */
  #named(decided: PolicyDecision): PolicyDecision {
    const { verdict, reason, matches } = decided.decision
    const row = matches.find((match) => match.verdict === verdict && match.why === reason)
    const said = row && verdict !== 'allow' ? this.#projectBehind(row.source) : undefined
    return said === undefined
      ? decided
      : { ...decided, decision: { ...decided.decision, reason: `${reason} (${said})` } }
  }

  #projectBehind(source: string): string | undefined {
    if (this.#projectFiles.some((file) => source.includes(file))) return ruleSetBy(source)
    const key = source === 'workspace' ? 'policy.workspace' : 'policy.preset'
    const file = this.#projectSettings.get(key)
    const follows = source === 'workspace' || source.startsWith('preset ')
    return follows && file !== undefined ? setBy(key, file) : undefined
  }

  rules(): RuleList {
    return listOfRules(this.#rules)
  }
}

type Entry = Parameters<OriginOf>

/** Builds the rules. The place of a faulty one is looked up only on error. */
async function rulesOf(loaded: LoadedConfig, originOf = filesOf(loaded)): Promise<RuleSet> {
  const { config } = loaded
  let asked: Entry | undefined
  try {
    return buildRules(config.policy, {
      workspaceInReadMode: config.shell.reads === 'workspace',
      originOf: (...entry) => {
        asked = entry
        return originOf(...entry)
      },
    })
  } catch (error) {
    if (!asked || !isVitrineError(error) || error.refusal.code !== 'CONFIG_INVALID') throw error
    const place = await placeOfEntry(loaded, ...asked)
    throw place ? new VitrineError({ ...error.refusal, ...place }) : error
  }
}

function filesOf({ sources }: LoadedConfig): OriginOf {
  return (key) => ({ file: sources[`policy.${key}`].where || 'config' })
}

const listKeys = ['allow', 'ask', 'deny', 'safe', 'rule'] as const

/** The file and line of every rule. Slow: each is searched for in its file. */
export async function ruleOrigins(loaded: LoadedConfig): Promise<OriginOf> {
  const otherwise = filesOf(loaded)
  const places = new Map<string, RuleOrigin>()
  for (const key of listKeys) {
    const { source } = loaded.sources[`policy.${key}`]
    if (source !== 'user' && source !== 'project') continue
    for (const index of loaded.config.policy[key].keys()) {
      const place = await placeOfEntry(loaded, key, index)
      if (place) places.set(`${key} ${index}`, place)
    }
  }
  return (key, index) => places.get(`${key} ${index}`) ?? otherwise(key, index)
}
