import type { PolicyMatch } from '../base/types.ts'
import {
  explainAssignment,
  explainMaybe,
  explainNothing,
  explainObjection,
  explainOpen,
  explainRedirect,
  explainRule,
  explainSafe,
  explainUnlisted,
  explainUnsure,
  explainUntrustedPath,
} from '../messages/policy.ts'
import { knownValue, type Redirect, type SimpleCommand, type UnsureKind } from './line.ts'
import type { Places } from './paths.ts'
import type { PlannedStep, PolicyRequest } from './plan.ts'
import { asTyped, powershellRules } from './powershell.ts'
import { programOf } from './program.ts'
import { applyRule, type Rule, type RuleOutcome, type Verdict } from './rules.ts'
import type { RuleSet } from './ruleset.ts'
import { analysisList, type RuleIndex } from './safe-list.ts'

/**
 * `safe`: on the safe list, by its words. `allowed`: by a rule of the user, or preset `open`. `neither`: whatever its verdict, the
 * line does not run held.
 */
type Standing = 'safe' | 'allowed' | 'neither'

export interface JudgedStep {
  readonly step: PlannedStep
  readonly standing: Standing
  /** What allows the program, or what the preset says about it. */
  readonly row: PolicyMatch
  /** Rules of the user that ask or deny. */
  readonly strict: readonly PolicyMatch[]
}

/** What rules and preset say about the program of a step. */
export function judged(step: PlannedStep, given: PolicyInput): JudgedStep {
  const { rules } = given
  const { command } = step
  const own = rules.own.flatMap((rule) => typedOutcome(rule, command, given))
  const strict = own
    .filter(({ rule }) => rule.verdict !== 'allow')
    .flatMap((found) => strictRow(found, command, given))
  const refused = own
    .filter(({ rule, verdict }) => rule.verdict === 'allow' && verdict !== 'allow')
    .flatMap((outcome) => refusedRow(outcome, command, given))
  const allowed = own.find(({ rule, verdict }) => rule.verdict === 'allow' && verdict === 'allow')
  return { step, strict: [...strict, ...refused], ...standingOf(step, given, allowed) }
}

function standingOf(
  step: PlannedStep,
  given: PolicyInput,
  allowed: RuleOutcome | undefined,
): Pick<JudgedStep, 'standing' | 'row'> {
  const { rules } = given
  const { command } = step
  if (allowed) return { standing: 'allowed', row: ruleRow(allowed, command) }
  const source = `preset ${rules.preset}`
  if (rules.preset === 'open')
    return {
      standing: 'allowed',
      row: policyMatch(command.text, nameIn(command), source, 'allow', explainOpen),
    }
  // Only assignments or redirects, which are looked at by themselves.
  if (command.words.length === 0)
    return { standing: 'safe', row: policyMatch(command.text, 'no program', source, 'allow', explainNothing) }
  const listed = listedOutcome(step, given)
  if (listed?.verdict === 'allow') {
    const name = listed.rule.prefix.join(' ')
    return {
      standing: 'safe',
      row: policyMatch(command.text, name, listed.rule.source, 'allow', explainSafe(name)),
    }
  }
  const verdict = rules.preset === 'analysis' ? 'deny' : 'ask'
  const why = listed?.objection
    ? explainObjection(listed.rule.prefix.join(' '), listed.objection)
    : unlisted(command, rules.preset === 'analysis')
  return { standing: 'neither', row: policyMatch(command.text, 'unlisted', source, verdict, why) }
}

/** A rule that asks or denies also counts where it names the alias that was typed in PowerShell. */
function typedOutcome(rule: Rule, command: SimpleCommand, { request }: PolicyInput): RuleOutcome[] {
  const outcome = applyRule(rule, command)
  if (outcome) return [outcome]
  if (rule.verdict === 'allow' || request.shell !== 'powershell') return []
  const typed = applyRule(rule, asTyped(command))
  return typed ? [typed] : []
}

/** The match for an `ask` or `deny` rule. A sandboxed mode asks only under preset `analysis`. */
function strictRow(outcome: RuleOutcome, command: SimpleCommand, given: PolicyInput): PolicyMatch[] {
  const { rule, verdict, maybe } = outcome
  if (verdict === 'ask' && given.request.mode !== 'write' && given.rules.preset !== 'analysis') return []
  if (!maybe) return [ruleRow(outcome, command)]
  const name = rule.prefix.join(' ')
  const unsure = verdict === 'deny' ? verdictWhenUnsure(given) : 'ask'
  return [policyMatch(command.text, name, rule.source, unsure, explainMaybe(command.text, name))]
}

/** The match for an `allow` rule whose ask or deny options are given; the preset handles other objections. */
function refusedRow(
  outcome: RuleOutcome,
  command: SimpleCommand,
  { request, rules }: PolicyInput,
): PolicyMatch[] {
  const { rule, verdict, objection } = outcome
  const names = [...(rule.arguments?.asked ?? []), ...(rule.arguments?.denied ?? [])]
  const isListed = objection?.kind === 'option' && names.includes(objection.text)
  const isLenient = rules.preset === 'open' || (request.mode !== 'write' && rules.preset === 'default')
  return isListed && !(isLenient && verdict === 'ask') ? [ruleRow(outcome, command)] : []
}

function ruleRow({ rule, verdict, objection }: RuleOutcome, command: SimpleCommand): PolicyMatch {
  const name = rule.prefix.join(' ')
  const why =
    objection && rule.reason === ''
      ? explainObjection(name, objection)
      : explainRule(verdict, name, rule.reason)
  return policyMatch(command.text, name, rule.source, verdict, why)
}

/** The safe list's outcome. */
function listedOutcome({ command }: PlannedStep, { rules, request }: PolicyInput): RuleOutcome | undefined {
  if (request.shell === 'powershell')
    return request.work.kind === 'line' ? firstOf(powershellRules, command) : undefined
  return firstOf(rules.safe, command)
}

/** The outcome of the first rule that allows, otherwise of the longest matching prefix. */
function firstOf(index: RuleIndex, command: SimpleCommand): RuleOutcome | undefined {
  const name = knownValue(programOf(command)?.words[0])
  const outcomes = (index.get(name ?? '') ?? []).flatMap((rule) => applyRule(rule, command) ?? [])
  return outcomes.find(({ verdict }) => verdict === 'allow') ?? outcomes[0]
}

function unlisted(command: SimpleCommand, isAnalysis: boolean): string {
  const program = programOf(command)
  const [head] = command.words
  const text = head?.text ?? ''
  if (head?.filledBy) return explainUnsure({ kind: 'program-name', text: '' })
  if (program && !program.trusted && text.includes('/')) return explainUntrustedPath(text)
  const shown =
    program?.words
      .slice(0, text === 'git' ? 2 : 1)
      .map((word) => word.text)
      .join(' ') ?? text
  return explainUnlisted(shown, isAnalysis ? analysisList : undefined)
}

export function nameIn({ words: [head] }: SimpleCommand): string {
  return knownValue(head) ?? head?.text ?? ''
}

export interface PolicyInput {
  readonly request: PolicyRequest
  readonly rules: RuleSet
  readonly places: Places
}

const unread: ReadonlySet<UnsureKind> = new Set([
  'too-long',
  'too-many-here-documents',
  'too-many-commands',
  'nesting',
  'unanswered',
])

/** For a line that may do anything. In write mode, `ask` even under preset `open`, for what is not known. */
export function verdictWhenUnsure({ rules, request }: PolicyInput, kind?: UnsureKind): Verdict {
  if (rules.preset === 'analysis') return 'deny'
  if (request.mode === 'write' && (rules.preset === 'default' || (kind && unread.has(kind)))) return 'ask'
  return rules.own.some(({ verdict }) => verdict === 'deny') ? 'ask' : 'allow'
}

export function policyMatch(
  command: string,
  rule: string,
  source: string,
  verdict: Verdict,
  why: string,
): PolicyMatch {
  return { command, rule, source, verdict, why }
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
export function matchAssignments({ command }: PlannedStep, rules: RuleSet): PolicyMatch[] {
  if (rules.preset === 'open') return []
  const verdict = rules.preset === 'analysis' ? 'deny' : 'ask'
  return command.assignments
    .filter(({ name }) => DANGEROUS.some((names) => names.test(name)))
    .filter(({ name, value }) => !isHarmlessSetting(name, knownValue(value)))
    .map(({ name }) =>
      policyMatch(command.text, 'assignment', `preset ${rules.preset}`, verdict, explainAssignment(name)),
    )
}

/** What a redirect of the default preset may write, or open. */
export function matchRedirects({ command }: PlannedStep, rules: RuleSet): PolicyMatch[] {
  if (rules.preset !== 'default') return []
  return command.redirects
    .filter((redirect) => !isHarmless(redirect))
    .map(({ text, operator }) =>
      policyMatch(command.text, 'redirect', 'preset default', 'ask', explainRedirect(text, operator)),
    )
}

/** /dev/null, descriptors, here-documents, input from a named file: bash connects to /dev/tcp/HOST/PORT. */
function isHarmless({ operator, target }: Redirect): boolean {
  if (!target) return operator === '<<' || operator === '<<-'
  if (operator === '<') return target.kind === 'literal' || target.kind === 'tilde'
  return onlySilences({ operator, target })
}

/** Output to /dev/null or another descriptor. */
export function onlySilences({ operator, target }: Pick<Redirect, 'operator' | 'target'>): boolean {
  if (target?.kind !== 'literal') return false
  if (operator === '>&' || operator === '<&') return /^(?:\d|-)$/.test(target.value)
  return target.value === '/dev/null' && ['>', '>>', '>|'].includes(operator)
}
