import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Platform } from '../base/platform.ts'
import { words } from '../base/text.ts'
import type { Environment, Mode } from '../base/types.ts'

export type Variables = Readonly<Record<string, string>>

/** Variables that pass in every mode: none of them loads code or holds a secret. */
const passing = new Set([
  ...words(`
    PATH HOME USER LOGNAME LANG LANGUAGE TZ TERM COLORTERM SHELL TMPDIR XDG_RUNTIME_DIR XDG_CONFIG_HOME
    XDG_CACHE_HOME XDG_DATA_HOME XDG_STATE_HOME`),
  // Homes of toolchains
  ...words(`
    ANDROID_HOME ANDROID_SDK_ROOT BUN_INSTALL CARGO_HOME CONDA_DEFAULT_ENV CONDA_PREFIX COREPACK_HOME DENO_DIR
    DOTNET_ROOT FNM_DIR GEM_HOME GOCACHE GOMODCACHE GOPATH GOROOT GRADLE_HOME GRADLE_USER_HOME JAVA_HOME
    M2_HOME MAVEN_HOME NPM_CONFIG_PREFIX NVM_BIN NVM_DIR PIPX_HOME PNPM_HOME POETRY_HOME PYENV_ROOT
    PYENV_VERSION RBENV_ROOT RUSTUP_HOME RUSTUP_TOOLCHAIN SDKMAN_DIR UV_CACHE_DIR VIRTUAL_ENV VOLTA_HOME`),
])

/** Variables that pass into a container: none that names files of this machine. PATH is the image's. */
const passingIntoContainer = new Set(words('USER LOGNAME LANG LANGUAGE TZ TERM COLORTERM'))

const placesInContainer: Variables = { HOME: '/tmp', TMPDIR: '/tmp' }

export type HostPlace = Platform | 'container'

/** Variables that Windows programs need. Names are case-insensitive there: all are in capitals. */
const passingOnWindows = new Set(
  words(`
  ALLUSERSPROFILE APPDATA COMMONPROGRAMFILES COMMONPROGRAMFILES(X86) COMMONPROGRAMW6432 COMPUTERNAME COMSPEC
  HOMEDRIVE HOMEPATH LOCALAPPDATA NUMBER_OF_PROCESSORS OS PATHEXT PROCESSOR_ARCHITECTURE PROGRAMDATA
  PROGRAMFILES PROGRAMFILES(X86) PROGRAMW6432 PSMODULEPATH PUBLIC SYSTEMDRIVE SYSTEMROOT TEMP TMP USERDOMAIN
  USERNAME USERPROFILE WINDIR`),
)

/** Tools use no pager, ask no questions and do not buffer. */
const forced: Variables = {
  PYTHONUNBUFFERED: '1',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  // Without SHLVL, bash with a socket as stdin takes itself for a remote shell and sources ~/.bashrc.
  SHLVL: '1',
}

/** Said within a command, in place of an editor. Plain characters only: each line stands in double quotes of a shell. */
const noTerminalForEditor = [
  'vitrine: this opens an editor, and the command has no terminal for one',
  'vitrine: give the text by an option (git commit -m TEXT, --no-edit), or set GIT_EDITOR, GIT_SEQUENCE_EDITOR or EDITOR to a command that edits the file (GIT_EDITOR=true takes it as it is)',
]

/**
 * Without a terminal an editor waits until the deadline. Most programs read VISUAL, then EDITOR: only EDITOR is set, so that
 * either of them, given in a line, wins. A program that does not ask a shell to run this cannot run it, and says so.
 */
const noEditor = `sh -c '${noTerminalForEditor.map((line) => `echo "${line}" >&2`).join('; ')}; exit 1'`

/** Git prefers its own settings: these lead it back to the variables. Git appends ` "$@"`, which `#` makes a comment. */
const editorGit = {
  'core.editor': `eval "\${VISUAL:-$EDITOR}" '"$@"' #`,
  'sequence.editor': `eval "$(git var GIT_EDITOR)" '"$@"' #`,
}

const editors = words('EDITOR VISUAL GIT_EDITOR GIT_SEQUENCE_EDITOR')

/** Commands that edit nothing: hosts of agents set them. */
const nonEditors = /^(?::|(?:\/(?:usr\/)?bin\/)?(?:true|false))$/

/** What a command leaves in the background ends with it: git's upkeep would stop half-way, and leave its locks. */
const upkeepGit = { 'gc.autoDetach': 'false', 'maintenance.autoDetach': 'false' }

/** Bare repositories in a repository are not used implicitly: their configuration could run anything. */
const git = { 'safe.bareRepository': 'explicit' }

/** What reading needs none of. These override a repository's configuration, also inside it (git-config(1), GIT_CONFIG_COUNT). */
const readOnlyGit = {
  ...git,
  'core.fsmonitor': 'false',
  'core.hooksPath': '/dev/null',
  'log.showSignature': 'false',
  // Another value merges again, with the repository's merge drivers.
  'log.diffMerges': 'separate',
  'diff.submodule': 'short',
  'status.submoduleSummary': 'false',
  'submodule.recurse': 'false',
}

/** A line that write mode runs held has write mode's settings, but none that costs a question: git would ask a daemon for what it finds itself. */
const heldGit = { 'core.fsmonitor': 'false' }

/** No lock files and no byte code. */
const readOnly: Variables = { GIT_OPTIONAL_LOCKS: '0', PYTHONDONTWRITEBYTECODE: '1' }

export interface EnvironmentSettings {
  /** `auto`: the list in read and workspace mode, everything but secrets in write mode. */
  readonly inherit: 'auto' | 'listed' | 'all'
  readonly pass: readonly string[]
  readonly set: Variables
}

export interface Purpose {
  /** The one that was asked for. */
  readonly mode: Mode
  /** Write mode: the command runs held in read mode. */
  readonly held?: boolean
  readonly place: HostPlace
  /** The command has a terminal of its own. */
  readonly terminal: boolean
}

/** Inherited variables, then configured ones, then forced ones, each over those before. */
export function commandEnvironment(
  caller: Environment,
  settings: EnvironmentSettings,
  purpose: Purpose,
): Variables {
  const { mode, place } = purpose
  const isHeld = mode === 'read' || purpose.held === true
  const named = place === 'windows' ? inCapitals : (variables: Environment) => variables
  const pass = new Set(Object.keys(named(Object.fromEntries(settings.pass.map((name) => [name, ''])))))
  const environment: Record<string, string> = place === 'container' ? { ...placesInContainer } : {}
  for (const [name, value] of Object.entries(named(caller)))
    if (value !== undefined && (pass.has(name) || inherits(name, settings.inherit, purpose)))
      environment[name] = value
  if (place === 'windows' && isHeld) Object.assign(environment, lowTemp(environment))
  Object.assign(environment, named(settings.set))
  if (!purpose.terminal) dropEditors(environment, new Set([...pass, ...Object.keys(settings.set)]))
  const all = {
    ...(mode === 'read' ? readOnlyGit : git),
    ...(mode !== 'write' && upkeepGit),
    ...(purpose.held && heldGit),
    ...(!purpose.terminal && editorGit),
  }
  return { ...environment, ...forced, ...(mode === 'read' && readOnly), ...gitSettings(all, environment) }
}

/** But those that the user has chosen for commands. */
function dropEditors(environment: Record<string, string>, chosen: ReadonlySet<string>): void {
  for (const name of editors)
    if (!chosen.has(name) && !nonEditors.test(environment[name] ?? '')) delete environment[name]
  environment['EDITOR'] ??= noEditor
}

/** The temporary directory that a process at Low integrity level can write to. */
function lowTemp({ USERPROFILE: profile }: Variables): Variables {
  if (profile === undefined) return {}
  const directory = `${profile}\\AppData\\LocalLow\\Temp`
  return { TEMP: directory, TMP: directory }
}

function inherits(name: string, inherit: EnvironmentSettings['inherit'], { mode, place }: Purpose): boolean {
  if (passes(name, place)) return true
  if (place === 'container' || inherit === 'listed') return false
  if (inherit === 'all') return true
  // A name that is no identifier is an exported bash function, or is dropped by sh.
  if (mode !== 'write' || !/^[A-Za-z_]\w*$/.test(name)) return false
  return !isSecretName(name)
}

/** Undefined removes one. */
export function withVariables(environment: Variables, given: Environment, place: HostPlace): Variables {
  if (Object.keys(given).length === 0) return environment
  const all = { ...environment, ...(place === 'windows' ? inCapitals(given) : given) }
  return Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

function inCapitals(variables: Environment): Environment {
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name.toUpperCase(), value]))
}

function passes(name: string, place: HostPlace): boolean {
  if (place === 'windows' && passingOnWindows.has(name)) return true
  return (place === 'container' ? passingIntoContainer : passing).has(name) || name.startsWith('LC_')
}

/** Numbered after the settings that the environment already has: the last one wins. */
function gitSettings(settings: Variables, { GIT_CONFIG_COUNT: given = '' }: Variables): Variables {
  const first = /^\d{1,4}$/.test(given) ? Number(given) : 0
  const entries = Object.entries(settings)
  const numbered = entries.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ])
  return { GIT_CONFIG_COUNT: String(first + entries.length), ...Object.fromEntries(numbered) }
}

/**
 * Words that mark the name of a secret. `AUTHOR`, `KEYBOARD`, `XAUTHORITY` and `TOKENIZERS_PARALLELISM` do
 * not match. docs/security/environment.md repeats this list.
 */
const secretWords = [
  'TOKEN(?!IZ)',
  'SECRET',
  'PASSWORD|PASSWD|PASSPHRASE',
  'CREDENTIAL',
  'COOKIE',
  'WEBHOOK',
  'CONNECTION_?STRING',
  'KEYS?(?![A-Z])',
  'AUTH(?!OR(?!IZ))',
  '(^|_)(PW|PASS|PAT|DSN|JWT)(_|$)',
  '_PWD$',
]
const secretName = new RegExp(secretWords.join('|'), 'i')
/** Names that hold a location or a name instead of the secret: `SSH_AUTH_SOCK`, `GIT_CONFIG_KEY_0`. */
const placeName = /_(SOCK|FILE|PATH|DIR)$|^GIT_CONFIG_KEY_\d+$/i

export function isSecretName(name: string): boolean {
  return secretName.test(name) && !placeName.test(name)
}

/** Tools write no logs or histories, and do not check for newer versions of themselves. */
const quiet: Variables = {
  // npm's config(7): each command leaves a log and removes files of the directory above the maximum.
  npm_config_logs_max: '0',
  npm_config_logs_dir: '/dev/null',
  npm_config_update_notifier: 'false',
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
  LESSHISTFILE: '-',
  NODE_DISABLE_COMPILE_CACHE: '1',
  // pytest can read its cache (--lf), but not write it.
  PYTEST_ADDOPTS: '-W ignore::pytest.PytestCacheWarning',
  // Else go reports packages whose index it cannot cache as missing (go/src/cmd/go/internal/modindex).
  GODEBUG: 'goindex=0',
}

/** Without the network a retry is as futile as the first try: npm alone would wait 70 seconds. */
const onlyOnce: Variables = {
  npm_config_fetch_retries: '0',
  PIP_RETRIES: '0',
  CARGO_NET_RETRY: '0',
}

export interface ToolCaches {
  /** The workspace can be written: builds go beside their sources, where the next command finds them. */
  readonly workspace: boolean
  /** The network is open: what is missing from a cache can be fetched. */
  readonly network: boolean
  /** Go's cache exists, and stays in use: a full read-only one is faster than an empty writable one. */
  readonly goCache: boolean
  /** Fossil's settings exist. Without them fossil creates them, or fails where it cannot. */
  readonly fossilSettings: boolean
}

/** The environment of a confined command with these settings; variables that are already set stay. */
export function withToolSettings(environment: Variables, network: boolean): Variables {
  return withDefaults(environment, network ? quiet : { ...quiet, ...onlyOnce })
}

/** Gives tools that cannot work without a writable cache a directory of the command's own. */
export function withToolCaches(environment: Variables, directory: string, caches: ToolCaches): Variables {
  return withDefaults(environment, {
    ...(caches.workspace ? {} : { CARGO_TARGET_DIR: join(directory, 'cargo-target') }),
    ...(caches.network ? { npm_config_cache: join(directory, 'npm') } : {}),
    ...(caches.goCache ? {} : { GOCACHE: join(directory, 'go-build') }),
    ...(caches.fossilSettings ? {} : { FOSSIL_HOME: directory }),
    NX_SOCKET_DIR: join(directory, 'nx'), // else in /tmp/.nx
    TMUX_TMPDIR: directory, // else in /tmp
  })
}

/** Whether go's build cache exists at its default place ("go help cache"; Linux). */
export function hasGoCache({ GOCACHE, XDG_CACHE_HOME, HOME = '/' }: Variables): boolean {
  return existsSync(GOCACHE || join(XDG_CACHE_HOME || join(HOME, '.cache'), 'go-build'))
}

/** Whether fossil's settings exist at their default place (as of fossil 2.21). */
export function hasFossilSettings({ XDG_CONFIG_HOME, HOME = '/' }: Variables): boolean {
  const places = [join(HOME, '.fossil'), join(XDG_CONFIG_HOME || join(HOME, '.config'), 'fossil.db')]
  return places.some((place) => existsSync(place))
}

/** Ignores case, as npm does for its variables. */
function withDefaults(environment: Variables, defaults: Variables): Variables {
  const result: Record<string, string> = { ...environment }
  const names = Object.keys(environment)
  for (const [name, value] of Object.entries(defaults)) {
    const isSet = names.some((set) => set.length === name.length && set.toLowerCase() === name.toLowerCase())
    if (!isSet) result[name] = value
  }
  return result
}
