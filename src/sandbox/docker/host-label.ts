import { randomBytes } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { errorCode } from '../../base/errno.ts'

/** Label of every container of ours: who made it, as JSON. */
export const hostLabel = 'vitrine.host'
/** Label: the mode whose commands run in it. */
export const modeLabel = 'vitrine.mode'
/** Label: the directory that it was made for. */
export const workspaceLabel = 'vitrine.workspace'

/** A name for a container of a mode, which no other one has. */
export function newName(mode: string): string {
  return `vitrine-${mode}-${randomBytes(6).toString('hex')}`
}

/**
 * Whether a name is of those. An image that somebody made of one of our containers has its labels, and gives them to all that are made
 * from it, which are not ours; names it gives none.
 */
export function isOurName(name = ''): boolean {
  return /^vitrine-(read|write)-[0-9a-f]{12}$/.test(name)
}

/** A process that cannot be taken for a later one with its number, nor for one of another container or machine. */
export interface HostProcess {
  readonly pid: number
  /** In clock ticks since the boot: proc_pid_stat(5), field 22. */
  readonly start: string
  /** /proc/sys/kernel/random/boot_id */
  readonly boot: string
  /** The PID namespace that its number is from. */
  readonly namespace: string
}

/** This process. */
export function thisProcess(): HostProcess {
  const { pid } = process
  return { pid, start: startOf(pid) ?? '', ...surroundings() }
}

/** What a label says; undefined when it is not one of ours. */
export function readHost(label: string | undefined): HostProcess | undefined {
  try {
    const { pid, start, boot, namespace } = JSON.parse(label ?? '') as Partial<HostProcess>
    if (typeof pid !== 'number' || typeof start !== 'string') return undefined
    if (typeof boot !== 'string' || typeof namespace !== 'string') return undefined
    return { pid, start, boot, namespace }
  } catch {
    return undefined
  }
}

/** Whether it runs; undefined: that cannot be seen from here. */
export function runs({ pid, start, boot, namespace }: HostProcess): boolean | undefined {
  const here = surroundings()
  if (here.boot !== boot || here.namespace !== namespace) return undefined
  if (start !== '') return startOf(pid) === start
  return answers(pid)
}

/** The boot of the kernel that runs here; empty where that is not told. */
export function thisKernel(): string {
  return read(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()) ?? ''
}

function surroundings(): Pick<HostProcess, 'boot' | 'namespace'> {
  return {
    boot: thisKernel(),
    namespace: read(() => readlinkSync('/proc/self/ns/pid')) ?? '',
  }
}

/** The name of the program, which may hold anything, ends with the last parenthesis. */
function startOf(pid: number): string | undefined {
  const stat = read(() => readFileSync(`/proc/${pid}/stat`, 'latin1'))
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
}

/** Undefined where there is no such file: no such process, or no proc file system. */
function read(look: () => string): string | undefined {
  try {
    return look()
  } catch {
    return undefined
  }
}

function answers(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}
