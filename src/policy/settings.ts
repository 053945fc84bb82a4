import { words } from '../base/text.ts'
import type { PolicyMatch } from '../base/types.ts'
import { explainAssignment, explainRedirect } from '../messages/policy.ts'
import { knownValue, type Redirect } from './line.ts'
import type { PlannedStep } from './plan.ts'
import { isBuiltIn } from './program.ts'
import { policyMatch } from './programs.ts'
import type { RuleSet } from './ruleset.ts'

const EXACT = new Set([
  ...words(`
    PATH IFS ENV HOME SHELL SHELLOPTS BASHOPTS CDPATH GLOBIGNORE PS4 PROMPT_COMMAND EXECIGNORE PWD OLDPWD
    OPTIND FPATH ZDOTDIR TMPDIR POSIXLY_CORRECT MALLOC_TRACE MAGIC TERMINFO TERMINFO_DIRS TERMCAP LOCPATH NLSPATH GCONV_PATH
    HOSTALIASES SSLKEYLOGFILE BROWSER RIPGREP_CONFIG_PATH NODE_PATH MANPATH VISUAL MAKEFLAGS GNUMAKEFLAGS AWKPATH AWKLIBPATH
    CLASSPATH GOFLAGS GOENV RUSTC_WRAPPER COMPILER_PATH JAVACMD MAKEFILES PHPRC SDKROOT TOOLCHAINS VIRTUAL_ENV
    WGETRC SYSTEM_WGETRC`),
  // Supply options and operands to programs that list: tar(1), xz(1), bzip2(1), unzip(1), man(1).
  ...words(`
    TAPE XZ_OPT XZ_DEFAULTS BZIP BZIP2 GZIP UNZIP UNZIPOPT ZIPINFO ZIPINFOOPT LZOP MANOPT MANROFFOPT MANROFFSEQ
    MANSECT MANLESS RSH`),
])
/** Loaders, tools and version managers: most have variables naming what to load, run or write. */
const FAMILIES = [
  /^(?:LD|DYLD|GLIBC|MALLOC|GETCONF|BASH|XDG|SSH|SUDO|GIT|CURL|OPENSSL|DOCKER|MAKE|CMAKE|GCC|CLANG|CCC|DEVELOPER|XCRUN)_/,
  /^(?:NODE|NPM|npm|PNPM|YARN|COREPACK|BUN|DENO|PHP|GEM|BUNDLE|PIP|PIPX|POETRY|UV|CARGO|RUSTUP|DOTNET|ANDROID)_/,
  /^(?:GH|GITHUB|GROFF|TROFF|LSOF)_/,
  /^(?:JAVA|JDK|GRADLE|MAVEN|M2|ASDF|MISE|RTX|PYENV|RBENV|NODENV|JENV|NVM|FNM|VOLTA|CONDA|SDKMAN)_/,
]
const SHAPES = [
  ...FAMILIES,
  /^(?:PYTHON|PERL|RUBY|LESS)/,
  /(?:PAGER|EDITOR|ASKPASS|OPTIONS|PRELOAD)$/,
  /_proxy$/i,
]

/** True if a variable controls what programs run or load, or how the shell reads the rest of the line. */
export function isDangerousVariable(name: string): boolean {
  return EXACT.has(name) || SHAPES.some((shape) => shape.test(name))
}

/** Values for which such a variable makes programs run and load nothing. */
const HARMLESS: readonly (readonly [RegExp, RegExp])[] = [
  // With these values git(1), man(1) and gh(1) use no pager.
  [/^(?:GIT_|MAN|GH_)?PAGER$/, /^(?:cat)?$/],
  [/^(?:CI|NO_COLOR|FORCE_COLOR|CLICOLOR)$/, /^\w*$/],
  // Some tools use it as part of a file name.
  [/^(?:NODE_ENV|CARGO_TERM_COLOR)$/, /^[A-Za-z0-9_-]*$/],
  [
    /^(?:GIT_TERMINAL_PROMPT|GIT_OPTIONAL_LOCKS|NODE_NO_WARNINGS|PYTHONDONTWRITEBYTECODE|PYTHONUNBUFFERED)$/,
    /^[01]$/,
  ],
]

/** True if this value makes an otherwise dangerous variable harmless. */
export function isHarmlessSetting(name: string, value: string | undefined): boolean {
  return value !== undefined && HARMLESS.some(([names, values]) => names.test(name) && values.test(value))
}

// Names that suggest a settings location: unlisted ones like CURL_HOME or PHPRC.
const PLACE =
  /(?:^|_)(?:ROOT|HOME|DIR|PATH|CONFIG|PREFIX|PLUGINS?|HOOK|CMD|COMMAND|EXEC|WRAPPER|MODULE|FILE|SHELL|CACHE|LIBRARY)$|RC$/

/** True if a variable in a program's environment may name where it finds what it loads or runs. */
export function mayNamePlace(name: string): boolean {
  return PLACE.test(name)
}

/** True if setting this variable in the shell itself changes how it reads the following words. */
export function changesReading(name: string): boolean {
  return name.startsWith('LC_') || name === 'LANG'
}

/** Variables in front of a command, and of the line's shell. */
export function matchAssignments({ command }: PlannedStep, rules: RuleSet): PolicyMatch[] {
  if (rules.preset === 'open') return []
  const bare = command.words.length === 0
  const reads = knownValue(command.words[0]) === 'read'
  const verdict = rules.preset === 'analysis' ? 'deny' : 'ask'
  const bad = command.assignments.filter(
    ({ name, value }) =>
      !(reads && name === 'IFS') &&
      (isDangerousVariable(name) ||
        (bare && changesReading(name)) ||
        (!bare && !isBuiltIn(command) && mayNamePlace(name))) &&
      !isHarmlessSetting(name, knownValue(value)),
  )
  return bad.map(({ name }) =>
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
