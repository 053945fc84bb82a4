import type { Denial } from '../base/types.ts'

/** A command that exited with 0. */
export interface SuccessfulRun {
  /** Its stderr. */
  readonly errors: string
  /** One program ran, without a shell: its exit code is the command's. */
  readonly single: boolean
}

/** An attempt that a program can do without; it ignores the refusal silently. */
interface Fallback {
  /** Default: every program except `fileWriters`. */
  readonly program?: RegExp
  readonly operations: readonly Denial['operation'][]
  /** The path. Default: any. */
  readonly path?: RegExp
  /** Applies only if the program's exit code is the command's. */
  readonly onlySingle?: boolean
}

const writes: Fallback['operations'] = ['create', 'write', 'truncate', 'metadata', 'rename', 'lock']

/** Programs whose purpose is to write files: a refused write matters. */
const fileWriters = /^(sh|bash|dash|ash|zsh|ksh|touch|mkdir|cp|mv|rm|ln|tee|dd|install|sed|tar|unzip)$/

const fallbacks: readonly Fallback[] = [
  // Caches and histories
  { operations: writes, path: /^\/var\/cache\// },
  {
    operations: writes,
    path: /\/(\.cache|\.npm|_cacache|__pycache__|go-build|\.(pytest|mypy|ruff)_cache|pytest-cache-files-\w+|node-compile-cache)(\/|$)/,
  },
  { operations: writes, path: /\/\.(lesshst|viminfo\w*|wget-hsts|\w+_history)([.-]\w+)?$/ },
  // What a shell keeps for its next start
  { program: /^(bash|zsh|ksh)$/, operations: writes, path: /\/\.(\w*history|histfile|zcompdump)[\w.-]*$/ },
  { program: /^fish$/, operations: writes, path: /\/fish[.\w]*(\/|$)/ },
  // Cargo makes and locks its home where it can; the last is a database of when crates were used.
  { program: /^cargo/, operations: writes, path: /\/\.(cargo|package-cache(-mutate)?|global-cache)$/ },
  // Git can read the index without refreshing it, and a configuration without writing it.
  { program: /^git/, operations: ['create'], path: /\/(index|config)\.lock$/ },
  // Git copies the objects of a local clone that it cannot link.
  { program: /^git/, operations: ['link'], path: /\/objects\// },
  // SQLite opens a database for writing first, then for reading.
  { program: /^sqlite3$/, operations: ['write'] },
  { operations: ['write'], path: /\.(db|db3|sqlite|sqlite3)$/ },
  // Swap files; the directory of settings
  { program: /^(vim?|view|nvim)/, operations: ['create'], path: /\.sw[a-z]$/ },
  { program: /^top$/, operations: ['create'] },
  // Gradle asks who holds a lock for it, and waits.
  { program: /^java$/, operations: ['socket'] },
  // Address selection (RFC 6724), and the test for IPv6
  { program: /^getent$/, operations: ['socket'], onlySingle: true },
]

/**
 * The refusals to report for a command that exited with 0: known fallbacks and caches are left out unless its stderr names
 * them.
 */
export function worthTelling(denials: readonly Denial[], run: SuccessfulRun): readonly Denial[] {
  const told = denials.filter((denial) => !isFallback(denial, run))
  return told.every(isProbeOfIpv6) ? [] : told
}

function isFallback(denial: Denial, { errors, single }: SuccessfulRun): boolean {
  const { operation, path, program } = denial
  if (path !== undefined && errors.includes(path.slice(path.lastIndexOf('/') + 1))) return false
  return fallbacks.some(
    (known) =>
      known.operations.includes(operation) &&
      (known.program ? known.program.test(program) : !fileWriters.test(program)) &&
      (known.path?.test(path ?? '') ?? true) &&
      (single || known.onlySingle !== true),
  )
}

/** urllib3 opens a socket only to test for IPv6; it would also try a connection over IPv4. */
function isProbeOfIpv6({ operation, address, program }: Denial): boolean {
  return operation === 'socket' && address === 'inet6' && /^(pip|python)/.test(program)
}

/** True if a shell line certainly starts one program and nothing else. */
export function startsOneProgram(line: string): boolean {
  return !/[;&|<>()`$\n]/.test(line.trim())
}
