import type { PolicyMatch } from '../base/types.ts'
import { shown } from '../messages/policy.ts'
import { knownValue, type Redirect, type SimpleCommand } from './line.ts'
import type { Places } from './paths.ts'
import type { PolicyRequest, Step } from './plan.ts'
import { asTyped, powershellRules } from './powershell.ts'
import { applyRule, programOf, type Rule, type RuleOutcome, type Verdict } from './rules.ts'
import type { RuleSet } from './ruleset.ts'
import { analysisList, type RuleIndex } from './safe-list.ts'

export interface PolicyInput {
  readonly request: PolicyRequest
  readonly rules: RuleSet
  readonly places: Places
}

/**
 * `safe`: on the safe list, by its words. `allowed`: by a rule of the user, or preset `open`. `neither`: whatever its verdict, the
 * line does not run held.
 */
type Standing = 'safe' | 'allowed' | 'neither'

export interface JudgedStep {
  readonly step: Step
  readonly standing: Standing
  /** What allows the program, or what the preset says about it. */
  readonly row: PolicyMatch
  /** Rules of the user that ask or deny. */
  readonly strict: readonly PolicyMatch[]
}

/** What rules and preset say about the program of a step. */
export function judged(step: Step, given: PolicyInput): JudgedStep {
  const { command } = step
  const own = given.rules.own.flatMap((rule) => typedOutcome(rule, command, given) ?? [])
  const strict = own.flatMap((found) => strictRow(found, command, given) ?? [])
  const allowed = own.find(({ rule, verdict }) => rule.verdict === 'allow' && verdict === 'allow')
  if (allowed) return { step, strict, standing: 'allowed', row: ruleRow(allowed, command) }
  const [standing, rule, why, source = `preset ${given.rules.preset}`] = byPreset(command, given)
  const verdict = standing === 'neither' ? unlistedVerdict(given) : 'allow'
  return { step, strict, standing, row: { command: command.text, rule, source, verdict, why } }
}

function unlistedVerdict({ rules }: PolicyInput): Verdict {
  return rules.preset === 'analysis' ? 'deny' : 'ask'
}

/** Standing, rule, reason, and source if it is not the preset. */
function byPreset(
  command: SimpleCommand,
  given: PolicyInput,
): readonly [Standing, rule: string, why: string, source?: string] {
  if (given.rules.preset === 'open')
    return ['allowed', nameIn(command), 'preset open: every command runs unless it is denied']
  // Only assignments or redirects, which are looked at by themselves.
  if (command.words.length === 0) return ['safe', 'no program', 'the line runs no program']
  const listed = listedOutcome(command, given)
  const name = listed?.rule.prefix.join(' ') ?? ''
  if (listed?.verdict === 'allow')
    return ['safe', name, `"${shown(name)}" is on the list of commands that read`, listed.rule.source]
  const { objection } = listed ?? {}
  const why = objection === undefined ? unlisted(command, given) : notAllowed(name, objection)
  return ['neither', 'unlisted', why]
}

/** A rule that asks or denies also counts where it names the alias that was typed in PowerShell. */
function typedOutcome(rule: Rule, command: SimpleCommand, { request }: PolicyInput): RuleOutcome | undefined {
  const outcome = applyRule(rule, command)
  if (outcome || rule.verdict === 'allow' || request.shell !== 'powershell') return outcome
  return applyRule(rule, asTyped(command))
}

/**
 * The match for a rule that asks or denies, also one that allows, if its ask or deny options are given. A sandboxed mode asks only
 * under preset `analysis`.
 */
function strictRow(
  outcome: RuleOutcome,
  command: SimpleCommand,
  given: PolicyInput,
): PolicyMatch | undefined {
  const { rule, verdict, maybe, objection } = outcome
  const { request, rules } = given
  const isHeld = request.mode !== 'write' && rules.preset !== 'analysis'
  if (rule.verdict === 'allow') {
    const names = [...(rule.arguments?.asked ?? []), ...(rule.arguments?.denied ?? [])]
    // The preset handles other objections.
    if (objection === undefined || !names.includes(objection)) return undefined
    return verdict === 'ask' && (isHeld || rules.preset === 'open') ? undefined : ruleRow(outcome, command)
  }
  if (verdict === 'ask' && isHeld) return undefined
  if (!maybe) return ruleRow(outcome, command)
  const name = rule.prefix.join(' ')
  return {
    command: command.text,
    rule: name,
    source: rule.source,
    verdict: verdict === 'deny' ? verdictWhenUnsure(given) : 'ask',
    why: `"${shown(command.text)}" may become "${shown(name)}" when the shell expands it`,
  }
}

function notAllowed(rule: string, objection: string): string {
  return `${rule}: its rule does not allow "${shown(objection)}"`
}

const does = { allow: 'allows', ask: 'asks about', deny: 'denies' }

function ruleRow({ rule, verdict, objection }: RuleOutcome, { text }: SimpleCommand): PolicyMatch {
  const name = rule.prefix.join(' ')
  const said = objection ? notAllowed(name, objection) : `the configuration ${does[verdict]} "${shown(name)}"`
  const why = rule.reason === '' ? said : shown(rule.reason)
  return { command: text, rule: name, source: rule.source, verdict, why }
}

/** The safe list's outcome: of the first rule that allows, otherwise of the longest matching prefix. */
function listedOutcome(command: SimpleCommand, { rules, request }: PolicyInput): RuleOutcome | undefined {
  const isPowershell = request.shell === 'powershell'
  if (isPowershell && request.work.kind === 'argv') return undefined
  const index: RuleIndex = isPowershell ? powershellRules : rules.safe
  const name = knownValue(programOf(command)?.words[0])
  const outcomes = (index.get(name ?? '') ?? []).flatMap((rule) => applyRule(rule, command) ?? [])
  return outcomes.find(({ verdict }) => verdict === 'allow') ?? outcomes[0]
}

function unlisted(command: SimpleCommand, { rules }: PolicyInput): string {
  const program = programOf(command)
  const name = nameIn(command)
  if (program && !program.trusted && name.includes('/'))
    return `"${shown(name)}" is not in a system directory`
  const words = program?.words.slice(0, name === 'git' ? 2 : 1).map((word) => word.text) ?? [name]
  const said = `"${shown(words.join(' '))}" is not on the list of commands that read`
  if (rules.preset !== 'analysis') return said
  const { programs, subcommands } = analysisList
  return `${said}; the analysis preset allows: ${programs.join(' ')}, and git ${subcommands.join(' ')}`
}

export function nameIn({ words: [head] }: SimpleCommand): string {
  return knownValue(head) ?? head?.text ?? ''
}

/** For a line that may do anything. In write mode, `ask` even under preset `open`, for what has not been read. */
export function verdictWhenUnsure({ rules, request }: PolicyInput, unread = false): Verdict {
  if (rules.preset === 'analysis') return 'deny'
  if (request.mode === 'write' && (rules.preset === 'default' || unread)) return 'ask'
  return rules.own.some(({ verdict }) => verdict === 'deny') ? 'ask' : 'allow'
}

/** Variables that choose what programs run or load, or how a shell reads the rest of the line. */
const DANGEROUS = [
  /^(?:IFS|ENV|GOENV|PS4|PROMPT_COMMAND|EXECIGNORE|GLOBIGNORE|OPTIND|PWD|OLDPWD|POSIXLY_CORRECT|MAGIC|TERMCAP)$/,
  /^(?:BROWSER|VISUAL|RSH|JAVACMD|TOOLCHAINS|MAKEFILES|HOSTALIASES|SSLKEYLOGFILE|MALLOC_TRACE)$/,
  // Loaders, tools and version managers: most have variables naming what to load, run or write.
  /^(?:LD|DYLD|GLIBC|MALLOC|GETCONF|BASH|XDG|SSH|SUDO|GIT|CURL|OPENSSL|DOCKER|MAKE|CMAKE|GCC|CLANG|CCC|DEVELOPER|XCRUN)_/,
  /^(?:NODE|NPM|npm|PNPM|YARN|COREPACK|BUN|DENO|PHP|GEM|BUNDLE|PIP|PIPX|POETRY|UV|CARGO|RUSTUP|DOTNET|ANDROID|GH|GITHUB)_/,
  /^(?:JAVA|JDK|GRADLE|MAVEN|M2|ASDF|MISE|RTX|PYENV|RBENV|NODENV|JENV|NVM|FNM|VOLTA|CONDA|SDKMAN|TERMINFO)_/,
  /^(?:PYTHON|PERL|RUBY|LESS)/,
  /(?:PAGER|EDITOR|ASKPASS|OPTIONS|PRELOAD|SHELLOPTS|BASHOPTS|FLAGS|PATH|DIR|HOME|ROOT|RC|TERMINFO)$|_proxy$/i,
  // Names that suggest a settings location.
  /(?:^|_)(?:CONFIG|PREFIX|PLUGINS?|HOOK|CMD|COMMAND|EXEC|WRAPPER|MODULE|FILE|SHELL|CACHE|LIBRARY)$/,
]

/** Values for which such a variable makes programs run and load nothing. */
const HARMLESS: readonly (readonly [RegExp, RegExp])[] = [
  // With these values git(1), man(1) and gh(1) use no pager.
  [/^(?:GIT_|MAN|GH_)?PAGER$/, /^(?:cat)?$/],
  // Some tools use it as part of a file name.
  [/^(?:NODE_ENV|CARGO_TERM_COLOR)$/, /^[A-Za-z0-9_-]*$/],
  [
    /^(?:GIT_TERMINAL_PROMPT|GIT_OPTIONAL_LOCKS|NODE_NO_WARNINGS|PYTHONDONTWRITEBYTECODE|PYTHONUNBUFFERED)$/,
    /^[01]$/,
  ],
]

function isHarmlessSetting(name: string, value: string | undefined): boolean {
  return value !== undefined && HARMLESS.some(([names, values]) => names.test(name) && values.test(value))
}

/** Variables of a line that runs unsandboxed, in front of a command or of the line's shell. */
export function matchAssignments({ command }: Step, given: PolicyInput): PolicyMatch[] {
  const { preset } = given.rules
  if (preset === 'open') return []
  return command.assignments
    .filter(({ name }) => DANGEROUS.some((names) => names.test(name)))
    .filter(({ name, value }) => !isHarmlessSetting(name, knownValue(value)))
    .map(({ name }) => ({
      command: command.text,
      rule: 'assignment',
      source: `preset ${preset}`,
      verdict: unlistedVerdict(given),
      why: `the variable ${shown(name)} changes what programs run or load`,
    }))
}

/** What a redirect of the default preset may write, or open. */
export function matchRedirects({ command }: Step, { rules }: PolicyInput): PolicyMatch[] {
  if (rules.preset !== 'default') return []
  return command.redirects
    .filter((redirect) => !isHarmless(redirect))
    .map(({ text, operator }) => ({
      command: command.text,
      rule: 'redirect',
      source: 'preset default',
      verdict: 'ask',
      why:
        operator === '<'
          ? `it is unknown what the redirect ${shown(text)} opens until the line runs`
          : `the redirect ${shown(text)} may write to a file`,
    }))
}

/** /dev/null, descriptors, here-documents, input from a named file: bash connects to /dev/tcp/HOST/PORT. */
function isHarmless({ operator, target }: Redirect): boolean {
  if (!target) return operator === '<<' || operator === '<<-'
  if (operator === '<') return target.kind === 'literal' || /^~[^$`]*$/.test(target.text)
  return onlySilences({ operator, target })
}

/** Output to /dev/null or another descriptor. */
export function onlySilences({ operator, target }: Pick<Redirect, 'operator' | 'target'>): boolean {
  if (target?.kind !== 'literal') return false
  if (operator === '>&' || operator === '<&') return /^(?:\d|-)$/.test(target.value)
  return target.value === '/dev/null' && ['>', '>>', '>|'].includes(operator)
}
