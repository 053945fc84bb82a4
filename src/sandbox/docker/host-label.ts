import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { tried } from '../../base/errno.ts'
import { pidNamespace, signalled, statFields } from '../../base/process.ts'
import { type Mode, modes } from '../../base/types.ts'

/** Label of each of our containers: the process that made it, as JSON. */
export const hostLabel = 'vitrine.host'
export const modeLabel = 'vitrine.mode'
/** Label: the directory that the container was made for. */
export const workspaceLabel = 'vitrine.workspace'

const ourNames = new RegExp(`^vitrine-(${modes.join('|')})-[0-9a-f]{12}$`)

export function newName(mode: Mode): string {
  return `vitrine-${mode}-${randomBytes(6).toString('hex')}`
}

/** Labels prove nothing: an image committed from our container passes them on, but not its name. */
export function isOurName(name = ''): boolean {
  return ourNames.test(name)
}

/** Identifies a process even after its PID is reused, and across containers and machines. */
export interface HostProcess {
  readonly pid: number
  /** In clock ticks since boot: proc_pid_stat(5), field 22. */
  readonly start: string
  /** /proc/sys/kernel/random/boot_id */
  readonly boot: string
  readonly namespace: string
}

export function thisProcess(): HostProcess {
  const { pid } = process
  return { pid, start: statFields(pid)?.[22] ?? '', ...namespacesHere() }
}

/** Undefined: the label is not one of ours. */
export function readHost(label: string | undefined): HostProcess | undefined {
  const said: Partial<HostProcess> = Object(tried(() => JSON.parse(label ?? '')))
  const { pid, start, boot, namespace } = said
  if (typeof pid !== 'number' || typeof start !== 'string') return undefined
  if (typeof boot !== 'string' || typeof namespace !== 'string') return undefined
  return { pid, start, boot, namespace }
}

/** Whether the process runs; undefined: not visible from here. */
export function isRunning({ pid, start, boot, namespace }: HostProcess): boolean | undefined {
  const here = namespacesHere()
  if (here.boot !== boot || here.namespace !== namespace) return undefined
  if (start !== '') return statFields(pid)?.[22] === start
  return signalled(pid, 0)
}

/** The boot id of this kernel; empty if unknown. */
export function thisKernel(): string {
  return tried(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()) ?? ''
}

function namespacesHere(): Pick<HostProcess, 'boot' | 'namespace'> {
  return { boot: thisKernel(), namespace: pidNamespace() }
}
