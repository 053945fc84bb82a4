import type { Denial } from '../base/types.ts'

/** What a command that ended with 0 did besides. */
export interface SuccessfulRun {
  /** What it printed as errors. */
  readonly errors: string
  /** One program ran, with no shell around it: its exit code is the command's. */
  readonly single: boolean
}

/** What a program does without when it is refused, and says nothing of. */
interface Fallback {
  /** Default: every program but those that people write files with. */
  readonly program?: RegExp
  readonly operations: readonly Denial['operation'][]
  /** The path. Default: any. */
  readonly path?: RegExp
  /** Default false: it counts only where the program's exit code is the command's. */
  readonly onlySingle?: boolean
}

const writes: Fallback['operations'] = ['create', 'write', 'truncate', 'metadata', 'rename', 'lock']

/** A write to these that is refused is meant. */
const fileWriters = /^(sh|bash|dash|ash|zsh|ksh|touch|mkdir|cp|mv|rm|ln|tee|dd|install|sed|tar|unzip)$/

const fallbacks: readonly Fallback[] = [
  // Caches and histories
  { operations: writes, path: /^\/var\/cache\// },
  {
    operations: writes,
    path: /\/(\.cache|\.npm|_cacache|__pycache__|go-build|\.(pytest|mypy|ruff)_cache|pytest-cache-files-\w+|node-compile-cache)(\/|$)/,
  },
  { operations: writes, path: /\/\.(lesshst|viminfo\w*|wget-hsts|\w+_history)([.-]\w+)?$/ },
  // Git looks at the index without refreshing it, and at a configuration without writing it.
  { program: /^git/, operations: ['create'], path: /\/(index|config)\.lock$/ },
  // SQLite opens a database for writing first, then for reading.
  { program: /^sqlite3$/, operations: ['write'] },
  { operations: ['write'], path: /\.(db|db3|sqlite|sqlite3)$/ },
  // Swap files; the directory of settings
  { program: /^(vim?|view|nvim)/, operations: ['create'], path: /\.sw[a-z]$/ },
  { program: /^top$/, operations: ['create'] },
  // A look at the order of addresses (RFC 6724), and at whether there is IPv6
  { program: /^getent$/, operations: ['socket'], onlySingle: true },
]

/**
 * What is worth telling of a command that ended with 0: not what is known to be a fallback or a cache, unless its errors
 * name it.
 */
export function worthTelling(denials: readonly Denial[], around: SuccessfulRun): readonly Denial[] {
  const told = denials.filter((denial) => !isFallback(denial, around))
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

/** urllib3 opens one socket to see whether there is IPv6, and does not use it; a connection would be tried over IPv4, too. */
function isProbeOfIpv6({ operation, address, program }: Denial): boolean {
  return operation === 'socket' && address === 'inet6' && /^(pip|python)/.test(program)
}

/** Whether a shell line starts one program and nothing else, as far as its letters tell. */
export function startsOneProgram(line: string): boolean {
  return !/[;&|<>()`$\n]/.test(line.trim())
}
