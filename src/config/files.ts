import { isUtf8 } from 'node:buffer'
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import { devNull } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { errorCode } from '../base/errno.ts'
import { baseDirectory, homeDirectory } from '../base/paths.ts'
import type { Environment } from '../base/types.ts'
import { fileProblems } from '../messages/config.ts'
import { isVitrineError, VitrineError } from '../messages/error.ts'
import type { ToAbsolute } from './field.ts'

/** The largest config file accepted, in bytes. */
const maxFileBytes = 1_048_576

/** The user's config file: `$XDG_CONFIG_HOME/vitrine/config.toml`, by default in `~/.config`. */
export function userConfigFile(env: Environment, home = homeDirectory()): string {
  return join(baseDirectory(env, 'XDG_CONFIG_HOME', home), 'vitrine', 'config.toml')
}

/** The trust store: `$XDG_STATE_HOME/vitrine/trust.json`, by default in `~/.local/state`. */
export function trustStoreFile(env: Environment, home = homeDirectory()): string {
  return join(baseDirectory(env, 'XDG_STATE_HOME', home), 'vitrine', 'trust.json')
}

/** Outermost first: from the git root down to `cwd`; without a git root only `cwd`. */
export function projectConfigFiles(cwd: string): readonly string[] {
  const directories = upToGitRoot(realDirectory(cwd))
  return directories.reverse().map((directory) => join(directory, '.vitrine.toml'))
}

/** `~` is the home directory. */
export function absoluteFrom(base: string, home: string): ToAbsolute {
  return (path) => {
    if (path === '~') return home
    return path.startsWith('~/') ? join(home, path.slice(2)) : resolve(base, path)
  }
}

export function existingRealPath(path: string): string | undefined {
  try {
    return realpathSync.native(path)
  } catch (error) {
    if (isAbsence(error)) return undefined
    throw unreadableFile(path, codeOf(error))
  }
}

/** Reads a whole config file; undefined when there is none. Throws CONFIG_INVALID when it cannot be used. */
export function readConfigFile(file: string): string | undefined {
  const bytes = readBytes(file)
  if (bytes === undefined) return undefined
  if (!isUtf8(bytes)) throw unreadableFile(file, fileProblems.notUtf8(firstLineNotUtf8(bytes)))
  return new TextDecoder().decode(bytes)
}

export function unreadableFile(file: string, reason: string): VitrineError {
  return new VitrineError({ code: 'CONFIG_INVALID', file, problem: { kind: 'unreadable', reason } })
}

/** For example `EACCES`; rethrows what is not a failed system call. */
export function codeOf(error: unknown): string {
  const code = errorCode(error)
  if (code === undefined) throw error
  return code
}

/** The real path if the directory exists, else the absolute path. */
export function realDirectory(path: string): string {
  return existingRealPath(path) ?? resolve(path)
}

/** The real path of the next directory with a `.git` of any kind; without one, of the directory itself. */
export function gitRoot(directory: string): string {
  const real = realDirectory(directory)
  return upToGitRoot(real).at(-1) ?? real
}

/** The directory and those above it, up to the root of the repository that it lies in. */
export function upToGitRoot(start: string): string[] {
  const directories = []
  for (let at = start; ; at = dirname(at)) {
    directories.push(at)
    if (exists(join(at, '.git'))) return directories
    if (dirname(at) === at) return [start]
  }
}

/** Whether the path exists; a dangling symlink counts as existing. */
export function exists(path: string): boolean {
  try {
    lstatSync(path)
    return true
  } catch (error) {
    if (isAbsence(error)) return false
    throw unreadableFile(path, codeOf(error))
  }
}

export function isSymlink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
}

function readBytes(file: string): Buffer | undefined {
  if (!exists(file)) return undefined
  try {
    // Before opening: opening a FIFO releases its writer, and opening a device can act (watchdog(4) reboots).
    checkKind(file, statSync(file))
    // O_NONBLOCK: the file may have been replaced, and opening a FIFO would wait for a writer (open(2)).
    const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      return readDescriptor(file, descriptor)
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    throw isVitrineError(error) ? error : unreadableFile(file, reasonOf(codeOf(error)))
  }
}

// /dev/null, for `--config /dev/null`.
function isNothing(status: Stats): boolean {
  return status.isCharacterDevice() && status.rdev === statSync(devNull).rdev
}

function checkKind(file: string, status: Stats): void {
  if (status.isDirectory()) throw unreadableFile(file, fileProblems.directory)
  if (!status.isFile() && !isNothing(status)) throw unreadableFile(file, fileProblems.notRegular)
}

function readDescriptor(file: string, descriptor: number): Buffer {
  const status = fstatSync(descriptor)
  checkKind(file, status)
  if (status.size > maxFileBytes) throw unreadableFile(file, fileProblems.tooLarge(maxFileBytes))
  return readFileSync(descriptor)
}

function reasonOf(code: string): string {
  if (code === 'EACCES' || code === 'EPERM') return fileProblems.noPermission(code)
  if (code === 'EISDIR') return fileProblems.directory
  if (code === 'ENOENT') return fileProblems.danglingLink
  return code
}

function isAbsence(error: unknown): boolean {
  const code = codeOf(error)
  return code === 'ENOENT' || code === 'ENOTDIR'
}

function firstLineNotUtf8(bytes: Buffer): number {
  const lines = bytes.toString('latin1').split('\n')
  return 1 + lines.findIndex((line) => !isUtf8(Buffer.from(line, 'latin1')))
}

/** Rotated audit logs are kept as `PATH.1` (newest) to `PATH.9`. */
export const keptFiles = 9

/** The audit log, its lock, and the rotated ones. None without a log. */
export function auditFiles(path: string): string[] {
  if (path === '') return []
  const rotated = Array.from({ length: keptFiles }, (_, at) => `${path}.${at + 1}`)
  return [path, `${path}.lock`, ...rotated]
}
