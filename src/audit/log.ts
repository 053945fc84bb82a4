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
import { dirname } from 'node:path'
import { monotonicMs } from '../base/clock.ts'
import { makeDirectories } from '../base/directories.ts'
import { codedError, errorCode } from '../base/errno.ts'
import type { AuditFault } from '../base/refusal.ts'
import { keptFiles } from '../config/files.ts'
import { VitrineError } from '../messages/error.ts'
import type { HeldLock, Locker } from './lock.ts'

export interface LogOptions {
  readonly path: string
  /** The file's size limit in bytes; 0: none. A longer line gets a file of its own. */
  readonly maxBytes: number
  readonly locker: Locker
  /** Milliseconds to wait for the lock. Default 5000: holders need less than one. */
  readonly lockWaitMs?: number
}

// Fewer free bytes than this count as none: a line needs more than one byte, and others write too.
const roomBytes = 65_536
const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
// O_NONBLOCK: opening a FIFO must not wait for its reader.
const openFlags = O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK

/** A log that any number of processes append whole lines to, rotated by size, under one lock. */
export class AuditLog {
  readonly path: string
  readonly #options: LogOptions

  constructor(options: LogOptions) {
    this.path = options.path
    this.#options = options
  }

  /** Throws AUDIT_FAILED if a line could not be written now. */
  async check(): Promise<void> {
    await this.#locked(() => {
      this.#inOpen(() => undefined)
      this.#step('room', () => {
        const { bavail, blocks, bsize } = statfsSync(this.path)
        // Some file systems report no blocks; then only writing tells.
        if (blocks > 0 && bavail * bsize < roomBytes) throw codedError('ENOSPC')
      })
    })
  }

  /** Appends a line that ends with a newline. On AUDIT_FAILED nothing of it remains in the file. */
  async append(line: string): Promise<void> {
    const bytes = Buffer.from(line)
    await this.#locked(() => {
      if (this.#inOpen((fd) => this.#isFull(fd, bytes.length))) this.#step('rotate', () => rotate(this.path))
      this.#inOpen((fd) => this.#step('write', () => this.#write(fd, bytes)))
    })
  }

  /** Opens the file for each step, because Windows cannot rename an open file. */
  #inOpen<T>(work: (fd: number) => T): T {
    const fd = this.#open()
    try {
      return work(fd)
    } finally {
      closeSync(fd)
    }
  }

  #isFull(fd: number, more: number): boolean {
    const { maxBytes } = this.#options
    const { size } = fstatSync(fd)
    return maxBytes > 0 && size > 0 && size + more > maxBytes
  }

  /** Writes all or nothing, unless the process dies: a partial write on a full disk is truncated. */
  #write(fd: number, line: Buffer): void {
    const { size } = fstatSync(fd)
    const bytes = endsAmidLine(fd, size) ? Buffer.concat([Buffer.from('\n'), line]) : line
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
    } catch (error) {
      // By path: Windows cannot truncate a descriptor opened for appending.
      if (fstatSync(fd).size > size) truncateSync(this.path, size)
      throw error
    }
  }

  #open(): number {
    return this.#step('open', () => {
      if (O_NOFOLLOW === 0) refuseSymlink(this.path)
      const fd = openSync(this.path, openFlags, 0o600)
      if (fstatSync(fd).isFile()) return fd
      closeSync(fd)
      throw codedError('not-a-file')
    })
  }

  /** `work` is synchronous: the lock is held for its duration. */
  async #locked(work: () => void): Promise<void> {
    const lock = await this.#lock()
    try {
      work()
    } finally {
      lock.release()
    }
  }

  async #lock(): Promise<HeldLock> {
    const { locker, lockWaitMs = 5000 } = this.#options
    this.#step('directory', () => makeDirectories(dirname(this.path), 0o700))
    for (const deadline = monotonicMs() + lockWaitMs; ; ) {
      const lock = this.#step('lock', () => locker.take(`${this.path}.lock`))
      if (lock) return lock
      if (monotonicMs() > deadline) throw this.#fault('lock', 'busy')
      await new Promise((resolve) => setTimeout(resolve, 1 + Math.random() * 4))
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
    return new VitrineError({ code: 'AUDIT_FAILED', path: this.path, step, reason })
  }
}

function refuseSymlink(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) throw codedError('ELOOP')
}

/** True if a writer was killed in the middle of its line. */
function endsAmidLine(fd: number, size: number): boolean {
  if (size === 0) return false
  const last = Buffer.alloc(1)
  readSync(fd, last, 0, 1, size - 1)
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
