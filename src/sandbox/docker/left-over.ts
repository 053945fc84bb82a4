import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { tried } from '../../base/errno.ts'
import { pidNamespace, signalled, statFields } from '../../base/process.ts'
import type { Mode } from '../../base/types.ts'
import { type Engine, engineTried, isEngineError } from './engine.ts'

export interface OwnContainer {
  readonly id: string
  /** The engine's name for it, without the slash. */
  readonly name: string
  readonly state: string
  readonly mode: string
  readonly workspace: string
  readonly image: string
  readonly host: HostProcess
  /** Seconds since 1970. */
  readonly created: number
  /** Its host process is gone. */
  readonly leftOver: boolean
}

interface Listed {
  readonly Id: string
  readonly Names?: readonly string[]
  readonly State: string
  readonly Image: string
  readonly Created: number
  readonly Labels: Readonly<Record<string, string>>
}

/** Label of each of our containers: the process that made it, as JSON. */
const hostLabel = 'vitrine.host'
/** Label: the directory that the container was made for. */
const workspaceLabel = 'vitrine.workspace'

export function labelsFor(workspace: string): Readonly<Record<string, string>> {
  return { [hostLabel]: JSON.stringify(thisProcess()), [workspaceLabel]: workspace }
}

const ourNames = /^vitrine-(read|workspace|write)-[0-9a-f]{12}$/

export function newName(mode: Mode): string {
  return `vitrine-${mode}-${randomBytes(6).toString('hex')}`
}

/**
 * Every container that any vitrine made. A label alone proves nothing: an image committed from our container passes it
 * on, but not the name. Throws EngineError.
 */
export async function ownContainers(engine: Engine): Promise<readonly OwnContainer[]> {
  const query = { all: 'true', filters: JSON.stringify({ label: [hostLabel] }) }
  const path = '/containers/json'
  const listed = await engine.call<readonly Listed[]>({ method: 'GET', path, query })
  return listed.flatMap(({ Id: id, Names, State: state, Image: image, Created: created, Labels }) => {
    const name = Names?.[0]?.replace(/^\//, '') ?? ''
    const mode = ourNames.exec(name)?.[1]
    const host = tried((): HostProcess => JSON.parse(Labels[hostLabel] ?? ''))
    if (mode === undefined || !host) return []
    const workspace = Labels[workspaceLabel] ?? ''
    return [{ id, name, state, mode, workspace, image, host, created, leftOver: isLeftOver(host, state) }]
  })
}

export interface CleanUp {
  readonly removed: readonly OwnContainer[]
  readonly failed: readonly (OwnContainer & { readonly reason: string })[]
}

/** Only those of hosts that are gone. One failure does not stop the others. Throws EngineError. */
export async function removeLeftOver(engine: Engine): Promise<CleanUp> {
  const left = (await ownContainers(engine)).filter(({ leftOver }) => leftOver)
  const errors = await Promise.all(left.map(({ id }) => engineTried(removeContainer(engine, id))))
  const failed = left.flatMap((container, index) => {
    const error = errors[index]
    return error ? [{ ...container, reason: error.message }] : []
  })
  return { removed: left.filter((_, index) => !errors[index]), failed }
}

const removalMs = 10_000

/** Kills and removes a container, and waits until it is gone. Throws EngineError. */
export async function removeContainer(engine: Engine, id: string): Promise<void> {
  const path = `/containers/${id}`
  const force = { force: 'true', v: 'true' }
  const removal = await engineTried(
    engine.call({ method: 'DELETE', path, query: force, timeoutMs: removalMs }),
  )
  if (!isEngineError(removal) || removal.status === 404) return
  if (removal.status !== 409) throw removal
  // It is being removed, by AutoRemove or by another request.
  const query = { condition: 'removed' }
  const gone = await engineTried(
    engine.call({ method: 'POST', path: `${path}/wait`, query, timeoutMs: removalMs }),
  )
  if (isEngineError(gone) && gone.status !== 404) throw gone
}

/** Identifies a process even after its PID is reused, and across containers and machines. */
interface HostProcess {
  readonly pid: number
  /** In clock ticks since boot: proc_pid_stat(5), field 22. */
  readonly start: string
  /** /proc/sys/kernel/random/boot_id */
  readonly boot: string
  readonly namespace: string
}

export function thisProcess(): HostProcess {
  const { pid } = process
  return { pid, start: statFields(pid)?.[22] ?? '', boot: thisKernel(), namespace: pidNamespace() }
}

/** If the host process is not visible from here, only an ended container counts as left over. */
function isLeftOver({ pid, start, boot, namespace }: HostProcess, state: string): boolean {
  if (boot !== thisKernel() || namespace !== pidNamespace()) return /^(exited|dead)$/.test(state)
  return start === '' ? !signalled(pid, 0) : statFields(pid)?.[22] !== start
}

/** The boot id of this kernel; empty if unknown. */
export function thisKernel(): string {
  return tried(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()) ?? ''
}
