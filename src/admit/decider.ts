import { dirname } from 'node:path'
import type { Mode } from '../base/types.ts'
import { keptFiles } from '../config/audit-files.ts'
import { projectConfigFiles, trustStoreFile, userConfigFile } from '../config/files.ts'
import type { LoadedConfig } from '../config/load.ts'
import { placeOfEntry } from '../config/origin.ts'
import { type ProjectSettings, projectSettings } from '../config/project-settings.ts'
import { checkDirectory } from '../facts/directory.ts'
import { gatherFacts } from '../facts/gather.ts'
import { Look, type Looker } from '../facts/look.ts'
import { secondLimitMs } from '../facts/silent.ts'
import { isVitrineError, VitrineError } from '../messages/error.ts'
import { ruleSetBy, setBy } from '../messages/project.ts'
import { type Judged, judge } from '../policy/decide/decide.ts'
import { listOfRules, type RuleList } from '../policy/decide/list.ts'
import { factsNeeded, planRequest } from '../policy/decide/plan.ts'
import { buildRules, type Origin, type OriginOf, type RuleSet } from '../policy/decide/ruleset.ts'
import type { Place } from '../request/environment.ts'
import type { Work } from '../request/request.ts'

/** What is to be decided about. */
export interface Question {
  readonly work: Work
  readonly cwd: string
  readonly mode: Mode
  /** Variables of this command alone. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
}

/** What a judge knows of its shell, and how it looks at the machine. */
export interface Standing {
  readonly loaded: LoadedConfig
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly looker: Looker
  /** Where commands run, which says what reads a line. */
  readonly place: Place
}

/** What execvp(3) takes where there is no PATH. */
const usualPath = '/usr/local/bin:/usr/bin:/bin'

/** Decides about commands: gathers what a decision needs to know, and asks the policy. Starts nothing. */
export class Judge {
  readonly #rules: RuleSet
  readonly #workspace: string
  readonly #home: string
  readonly #ownPaths: readonly string[]
  readonly #programPath: string
  readonly #projectSettings: ProjectSettings
  readonly #projectFiles: readonly string[]
  readonly #projects: readonly string[]
  readonly #looker: Looker
  readonly #shell: 'sh' | 'powershell'

  /**
   * Throws CONFIG_INVALID for a rule whose example fails, with file and line.
   * @param originOf what a decision says of where a rule stands; default: its file
   */
  static async open(standing: Standing, originOf?: OriginOf): Promise<Judge> {
    return new Judge(await rulesOf(standing.loaded, originOf), standing)
  }

  private constructor(rules: RuleSet, { loaded, cwd, env, looker, place }: Standing) {
    const { config, files, outerWorkspace = '' } = loaded
    this.#rules = rules
    this.#projectSettings = projectSettings(loaded)
    this.#looker = looker
    this.#shell = place === 'windows' ? 'powershell' : 'sh'
    this.#workspace = config.policy.workspace
    this.#home = env['HOME'] ?? ''
    // A container has programs of its own.
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
    // The agent cannot edit its own policy: the files of the configuration, and what trusts them.
    this.#ownPaths = [
      dirname(userConfigFile(env)),
      dirname(trustStoreFile(env)),
      ...projectFiles,
      ...files.map(({ file }) => file),
      ...auditFiles(config.audit.path),
    ]
  }

  /**
   * Looks for `lookLimitMs`, and where a file system has not answered by then, once more for `againMs`. Throws INVALID_REQUEST
   * where the command's directory cannot be entered.
   */
  async decide({ work, cwd, mode, env = {} }: Question, againMs = secondLimitMs): Promise<Judged> {
    const request = planRequest({
      work,
      cwd,
      mode,
      home: this.#home,
      shell: this.#shell,
      variables: Object.keys(env),
    })
    const needed = factsNeeded(request)
    const around = {
      workspace: this.#workspace,
      ownPaths: this.#ownPaths,
      programPath: this.#programPath,
      projects: [...this.#projects, cwd],
    }
    const look = new Look(this.#looker)
    const first = await gatherFacts(needed, around, look)
    await checkDirectory(cwd, this.#looker, look)
    const isKnown = first.unanswered.length === 0
    const facts = isKnown ? first : await gatherFacts(needed, around, new Look(this.#looker, againMs))
    return this.#named(judge(request, this.#rules, facts))
  }

  /** A reason that follows from a project file's rule, preset or workspace names the file. */
  #named(judged: Judged): Judged {
    const { verdict, reason, matches } = judged.decision
    const row = matches.find((match) => match.verdict === verdict && match.why === reason)
    const said = row && verdict !== 'allow' ? this.#projectBehind(row.source) : undefined
    return said === undefined
      ? judged
      : { ...judged, decision: { ...judged.decision, reason: `${reason} (${said})` } }
  }

  #projectBehind(source: string): string | undefined {
    if (this.#projectFiles.some((file) => source.includes(file))) return ruleSetBy(source)
    const key = source === 'workspace' ? 'policy.workspace' : 'policy.preset'
    const file = this.#projectSettings.get(key)
    const follows = source === 'workspace' || source.startsWith('preset ')
    return follows && file !== undefined ? setBy(key, file) : undefined
  }

  /** The rules as data. */
  rules(): RuleList {
    return listOfRules(this.#rules)
  }
}

/** The audit log, what it was rotated to, and its lock. */
function auditFiles(path: string): string[] {
  if (path === '') return []
  const rotated = Array.from({ length: keptFiles }, (_, at) => `${path}.${at + 1}`)
  return [path, `${path}.lock`, ...rotated]
}

type Entry = Parameters<OriginOf>

/** The rules of a configuration. What is wrong with one is told with its place in the file, which is only looked up then. */
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

/** Where every entry of the configuration stands, with its line. Takes a while: each is looked for in its file. */
export async function placesOf(loaded: LoadedConfig): Promise<OriginOf> {
  const otherwise = filesOf(loaded)
  const places = new Map<string, Origin>()
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
