import { fstatSync, readFileSync } from 'node:fs'
import type { Readable } from 'node:stream'
import type { Mode } from '../index.ts'
import { isTerminal } from './terminal.ts'

/** The device number of /dev/null: major 1, minor 3 (devices.txt of the kernel). */
const nullDevice = 0x103
/** O_ACCMODE and O_RDONLY, fcntl.h. */
const accessMode = 3
const readOnly = 0

/**
 * What a command may read from our standard input; undefined: nothing.
 * In read mode the descriptor itself is passed only when nothing can be changed through it: a socket, or a file that is
 * open for writing, would be a way out of the sandbox. Anything else is read here and passed on.
 */
export async function standardInput(mode: Mode): Promise<number | Readable | undefined> {
  const stat = fstatSync(0)
  if (stat.isCharacterDevice() && (stat.rdev === nullDevice || (await isTerminal(0)))) return undefined
  if (mode === 'write') return 0
  return stat.isFile() && isReadOnly(0) ? 0 : process.stdin
}

/** Whether a descriptor was opened O_RDONLY: proc_pid_fdinfo(5) has its flags in octal. */
function isReadOnly(fd: number): boolean {
  const [, flags = ''] = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')) ?? []
  return flags !== '' && (Number.parseInt(flags, 8) & accessMode) === readOnly
}
