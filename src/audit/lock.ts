import { closeSync, constants, fstatSync, openSync } from 'node:fs'
import { constants as osConstants } from 'node:os'
import { codedError, errnoName, errorCode } from '../base/errno.ts'

export interface HeldLock {
  release(): void
}

/** Exclusive locks on files; the kernel releases one with its descriptor, also when its holder dies. */
export interface Locker {
  /** `undefined` if the lock is held. Throws the errors of open(2). */
  take(path: string): HeldLock | undefined
}

// Write-only, so that a confined command cannot open it: it may take a shared lock, which would block ours.
const lockMode = 0o200
const { O_WRONLY, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
const openFlags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK

/** flock(2) by the addon's `lock`, because Node has none. */
export function flockLocker(lock: (fd: number) => number): Locker {
  return {
    take(path) {
      const fd = openLock(path, openFlags)
      const errno = lock(fd)
      if (errno === 0) return { release: () => closeSync(fd) }
      closeSync(fd)
      // Linux has one number for EAGAIN and EWOULDBLOCK (asm-generic/errno.h).
      if (errno === osConstants.errno.EAGAIN) return undefined
      throw codedError(errnoName(errno))
    },
  }
}

/** For systems whose open takes an exclusive lock with `flag` and fails with `busy` if it is held. */
export function openLocker({ flag, busy }: { readonly flag: number; readonly busy: string }): Locker {
  return {
    take(path) {
      try {
        const fd = openLock(path, openFlags | flag)
        return { release: () => closeSync(fd) }
      } catch (error) {
        if (errorCode(error) === busy) return undefined
        throw error
      }
    },
  }
}

/** O_EXLOCK of fcntl.h: macOS and the BSDs. */
export const exlockOfBsd = { flag: 0x20, busy: 'EAGAIN' } as const
/** UV_FS_O_EXLOCK of uv/win.h: opening the file again fails meanwhile (a sharing violation). */
export const exlockOfWindows = { flag: 0x1000_0000, busy: 'EBUSY' } as const

function openLock(path: string, flags: number): number {
  const fd = openSync(path, flags, lockMode)
  if (fstatSync(fd).isFile()) return fd
  closeSync(fd)
  throw codedError('not-a-file')
}
