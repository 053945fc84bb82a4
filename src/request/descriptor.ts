import { fstatSync, readFileSync } from 'node:fs'
import { errorCode, tried } from '../base/errno.ts'
import { isNull } from '../base/null-device.ts'
import { found, wanted } from '../messages/wanted.ts'
import { refuseType } from './fields.ts'

/** O_ACCMODE and O_RDONLY, fcntl.h. */
const accessMode = 3
const readOnly = 0

/**
 * Whether a descriptor gives no way to change anything outside: /dev/null, or a regular file opened
 * read-only. A file opened for writing, a socket, or a pipe (which can be reopened for writing, proc(5))
 * would be a way out of the sandbox, because Landlock checks files only when they are opened.
 */
export function isHarmlessInput(fd: number): boolean {
  const stat = fstatSync(fd)
  return isNull(stat) || (stat.isFile() && isOpenForReadingOnly(fd))
}

/** Throws INVALID_REQUEST when the descriptor is not open, or would let a confined command change something. */
export function checkInput(fd: number): void {
  let got: string
  try {
    if (isHarmlessInput(fd)) return
    got = found.descriptor(fd)
  } catch (error) {
    got = found.descriptor(fd, errorCode(error) ?? String(error))
  }
  refuseType('stdin', wanted.harmlessInput, got)
}

/** proc_pid_fdinfo(5) shows the flags of open(2) in octal. Not known on Windows and macOS. */
function isOpenForReadingOnly(fd: number): boolean {
  const shown = tried(() => readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')) ?? ''
  const [, flags = ''] = /^flags:\s*([0-7]+)$/m.exec(shown) ?? []
  return flags !== '' && (Number.parseInt(flags, 8) & accessMode) === readOnly
}
