import { fstatSync, readFileSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { types } from 'node:util'
import { errorReason, tried } from '../base/errno.ts'
import { isNull } from '../base/files.ts'
import { refuseType } from './fields.ts'
import type { Input } from './request.ts'

export function feedStdin(to: Writable | null, from: Input | null): void {
  if (!to || from === null || typeof from === 'number') return
  // Checked by type: importing Readable for `instanceof` would load Node's streams for every command.
  if (typeof from === 'string' || types.isUint8Array(from)) to.end(from)
  else passOn(from, to)
}

/** pipe() would throw into the host when a stream of objects brings one. */
function passOn(from: Readable, to: Writable): void {
  const end = () => {
    to.end()
  }
  // An earlier command has read it to its end.
  if (from.readableEnded || from.destroyed) {
    end()
    return
  }
  // A source that fails or closes ends the input, or the command would wait for more.
  const take = (chunk: unknown) => {
    if (typeof chunk !== 'string' && !types.isUint8Array(chunk)) end()
    else if (to.writable && !to.write(chunk)) from.pause()
  }
  const resume = () => {
    from.resume()
  }
  to.on('drain', resume)
  to.once('close', () => {
    from.off('data', take).off('end', end).off('error', end).off('close', end)
    if (from.listenerCount('data') === 0) from.pause()
  })
  from.once('end', end).once('error', end).once('close', end).on('data', take)
  from.resume()
}

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
    got = `descriptor ${fd}`
  } catch (error) {
    got = `descriptor ${fd} (${errorReason(error)})`
  }
  refuseType(
    'stdin',
    'a regular file opened for reading only, or a stream to read from, except in write mode',
    got,
  )
}

/** proc_pid_fdinfo(5) shows the flags of open(2) in octal. Not known on Windows and macOS. */
function isOpenForReadingOnly(fd: number): boolean {
  const shown = tried(() => readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')) ?? ''
  const [, flags = ''] = /^flags:\s*([0-7]+)$/m.exec(shown) ?? []
  return flags !== '' && (Number.parseInt(flags, 8) & accessMode) === readOnly
}
