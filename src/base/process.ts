import { closeSync, openSync, readFileSync, readlinkSync } from 'node:fs'
import { devNull } from 'node:os'
import { errorCode, tried } from './errno.ts'

/** Sends a signal to a process, or to the group `-pid`; 0 sends none. Returns whether it exists. */
export function signalled(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal)
    return true
  } catch (error) {
    // EPERM: it exists and belongs to another user (kill(2)).
    return errorCode(error) === 'EPERM'
  }
}

/** The fields of /proc/PID/stat, numbered as in proc_pid_stat(5), less the name; undefined: it is gone. */
export function statFields(pid: number | 'self'): readonly string[] | undefined {
  return statFieldsIn(tried(() => readFileSync(`/proc/${pid}/stat`, 'latin1')))
}

/** proc_pid_comm(5); empty: it is gone. */
export function programName(pid: number): string {
  return (tried(() => readFileSync(`/proc/${pid}/comm`, 'utf8')) ?? '').trimEnd()
}

export function statFieldsIn(stat: string | undefined): readonly string[] | undefined {
  return stat === undefined ? undefined : ['', '', '', ...stat.slice(stat.lastIndexOf(')') + 2).split(' ')]
}

/** Containers that share a directory do not share process ids (namespaces(7)). Empty without /proc. */
export function pidNamespace(): string {
  return tried(() => readlinkSync('/proc/self/ns/pid')) ?? ''
}

/** More than the files of one such module, which are opened at once: eleven. */
const neededDescriptors = 16

/**
 * Imports a module that few commands need. Throws EMFILE or ENFILE before the import where too few descriptors are free: Node 20
 * remembers a failed import, and never loads the module again.
 */
export async function loadLate<Module>(load: () => Promise<Module>): Promise<Module> {
  const open: number[] = []
  try {
    while (open.length < neededDescriptors) open.push(openSync(devNull, 'r'))
  } catch (error) {
    const code = errorCode(error)
    if (code === 'EMFILE' || code === 'ENFILE') throw error
  } finally {
    for (const fd of open) closeSync(fd)
  }
  return load()
}
