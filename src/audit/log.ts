import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  statfsSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { constants as osConstants } from 'node:os'
import { dirname } from 'node:path'
import { monotonicMs } from '../base/clock.ts'
import { codedError, errnoName, errorCode } from '../base/errno.ts'
import { makeDirectories } from '../base/files.ts'
import type { AuditFault } from '../base/refusal.ts'
import { keptFiles } from '../config/files.ts'
import { VitrineError } from '../messages/error.ts'

/** Opens a file with an exclusive lock, which the kernel releases with the descriptor; undefined if it is held. */
export type TakeLock = (path: string) => number | undefined

interface LogOptions {
  readonly path: string
  /** The file's size limit in bytes; 0: none. A longer line gets a file of its own. */
  readonly maxBytes: number
  readonly takeLock: TakeLock
  /** Milliseconds to wait for the lock. Default 5000: holders need less than one. */
  readonly lockWaitMs?: number
}

const { O_RDWR, O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
// O_NONBLOCK: opening a FIFO must not wait for its reader.
const openFlags = O_CREAT | O_NOFOLLOW | O_NONBLOCK
// Fewer free bytes than this count as none: a line needs more than one byte, and others write too.
const roomBytes = 65_536

/** A log that any number of processes append whole lines to, rotated by size, under one lock. */
export class AuditLog {
  readonly #options: LogOptions

  constructor(options: LogOptions) {
    this.#options = options
  }

  /** Throws AUDIT_FAILED if a line could not be written now. */
  async check(): Promise<void> {
    const { path } = this.#options
    await this.#locked(() => {
      closeSync(this.#step('open', () => openLog(path)))
      this.#step('room', () => {
        const { bavail, blocks, bsize } = statfsSync(path)
        // Some file systems report no blocks; then only writing tells.
        if (blocks > 0 && bavail * bsize < roomBytes) throw codedError('ENOSPC')
      })
    })
  }

  /** Appends a line that ends with a newline. On AUDIT_FAILED nothing of it remains in the file. */
  async append(line: string): Promise<void> {
    const { path, maxBytes } = this.#options
    const bytes = Buffer.from(line)
    await this.#locked(() => {
      const size = this.#step('open', () => lstatSync(path, { throwIfNoEntry: false }))?.size ?? 0
      if (maxBytes > 0 && size > 0 && size + bytes.length > maxBytes) this.#step('rotate', () => rotate(path))
      const fd = this.#step('open', () => openLog(path))
      try {
        this.#step('write', () => write(fd, path, bytes))
      } finally {
        closeSync(fd)
      }
    })
  }

  /** `work` is synchronous: the lock is held for its duration. */
  async #locked(work: () => void): Promise<void> {
    const { path, takeLock, lockWaitMs = 5000 } = this.#options
    this.#step('directory', () => makeDirectories(dirname(path), 0o700))
    const take = () => this.#step('lock', () => takeLock(`${path}.lock`))
    let lock = take()
    for (const deadline = monotonicMs() + lockWaitMs; lock === undefined; lock = take()) {
      if (monotonicMs() > deadline) throw this.#fault('lock', 'busy')
      await new Promise((resolve) => setTimeout(resolve, 1 + Math.random() * 4))
    }
    try {
      work()
    } finally {
      closeSync(lock)
    }
  }

  #step<T>(step: AuditFault['step'], work: () => T): T {
    try {
      return work()
    } catch (error) {
      const code = errorCode(error)
      throw code === undefined ? error : this.#fault(step, code)
    }
  }

  #fault(step: AuditFault['step'], reason: string): VitrineError {
    return new VitrineError({ code: 'AUDIT_FAILED', path: this.#options.path, step, reason })
  }
}

function openLog(path: string): number {
  const isLink = O_NOFOLLOW === 0 && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()
  if (isLink) throw codedError('ELOOP')
  return openRegular(path, O_RDWR | O_APPEND | openFlags, 0o600)
}

function openRegular(path: string, flags: number, mode: number): number {
  const fd = openSync(path, flags, mode)
  if (fstatSync(fd).isFile()) return fd
  closeSync(fd)
  throw codedError('not-a-file')
}

/** Writes all or nothing, unless the process dies: a partial write on a full disk is truncated. */
function write(fd: number, path: string, line: Buffer): void {
  const { size } = fstatSync(fd)
  const bytes = endsAmidLine(fd, size) ? Buffer.concat([Buffer.from('\n'), line]) : line
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
  } catch (error) {
    // By path: Windows cannot truncate a descriptor opened for appending.
    if (fstatSync(fd).size > size) truncateSync(path, size)
    throw error
  }
}

/** True if a writer was killed in the middle of its line. */
function endsAmidLine(fd: number, size: number): boolean {
  const last = Buffer.from('\n')
  if (size > 0) readSync(fd, last, 0, 1, size - 1)
  return last[0] !== 0x0a
}

/** Renames from the oldest, so that a crash leaves only a gap and only the oldest file is overwritten. */
function rotate(path: string): void {
  for (let number = keptFiles - 1; number >= 0; number--) {
    const from = number === 0 ? path : `${path}.${number}`
    try {
      renameSync(from, `${path}.${number + 1}`)
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error
    }
  }
}

// Write-only, so that a confined command cannot open it: it may take a shared lock, which would block ours.
const openLock = (path: string, flag = 0) => openRegular(path, O_WRONLY | openFlags | flag, 0o200)

/** flock(2) by the addon's `lock`, because Node has none. */
export function takeByFlock(lock: (fd: number) => number): TakeLock {
  return (path) => {
    const fd = openLock(path)
    const errno = lock(fd)
    if (errno === 0) return fd
    closeSync(fd)
    // Linux has one number for EAGAIN and EWOULDBLOCK (asm-generic/errno.h).
    if (errno === osConstants.errno.EAGAIN) return undefined
    throw codedError(errnoName(errno))
  }
}

/** O_EXLOCK of fcntl.h (macOS, BSD), and UV_FS_O_EXLOCK of uv/win.h, where opening the file again fails. */
export function takeByOpen(flag: number): TakeLock {
  return (path) => {
    try {
      return openLock(path, flag)
    } catch (error) {
      if (errorCode(error) === 'EAGAIN' || errorCode(error) === 'EBUSY') return undefined
      throw error
    }
  }
}
