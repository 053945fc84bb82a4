import type { PolicyMatch } from '../base/types.ts'
import { explainAssignment, explainRedirect } from '../messages/policy.ts'
import { knownValue, type Redirect } from './line.ts'
import type { PlannedStep } from './plan.ts'
import { policyMatch } from './programs.ts'
import type { RuleSet } from './ruleset.ts'

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
