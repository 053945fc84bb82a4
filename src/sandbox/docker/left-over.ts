import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { tried } from '../../base/errno.ts'
import { pidNamespace, signalled, statFields } from '../../base/process.ts'
import { type Mode, modes } from '../../base/types.ts'
import { type Engine, type EngineRequest, engineTried, isEngineError } from './engine.ts'

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
  readonly Labels?: Readonly<Record<string, string>>
}

/** Every container with our label, made by any process. Throws EngineError. */
export async function ownContainers(engine: Engine, background: Background = {}): Promise<OwnContainer[]> {
  const filters = JSON.stringify({ label: [hostLabel] })
  const listed = await engine.call<readonly Listed[]>({
    method: 'GET',
    path: '/containers/json',
    query: { all: 'true', filters },
    ...background,
  })
  return listed.flatMap((container) => {
    const host = readHost(container.Labels?.[hostLabel])
    return host ? [described(container, host)] : []
  })
}

function described({ Id, Names, State, Image, Created, Labels }: Listed, host: HostProcess): OwnContainer {
  const name = Names?.[0]?.replace(/^\//, '') ?? Id.slice(0, 12)
  return {
    id: Id,
    name,
    state: State,
    mode: Labels?.[modeLabel] ?? '',
    workspace: Labels?.[workspaceLabel] ?? '',
    image: Image,
    host,
    created: Created,
    // Labels prove nothing: an image committed from our container passes them on, but not its name.
    leftOver: ourNames.test(name) && isLeftOver(host, State),
  }
}

/** If the host process is not visible from here, only an ended container counts as left over. */
function isLeftOver(host: HostProcess, state: string): boolean {
  return !(isRunning(host) ?? ['running', 'created', 'paused', 'restarting'].includes(state))
}

export interface CleanUp {
  readonly removed: readonly OwnContainer[]
  readonly failed: readonly (OwnContainer & { readonly reason: string })[]
}

/** Only those of hosts that are gone. One failure does not stop the others. Throws EngineError. */
export async function removeLeftOver(engine: Engine, background: Background = {}): Promise<CleanUp> {
  const left = (await ownContainers(engine, background)).filter(({ leftOver }) => leftOver)
  const removals = left.map(({ id }) => engineTried(removeContainer(engine, id, background)))
  const errors = await Promise.all(removals)
  const failed = left.flatMap((container, index) => {
    const error = errors[index]
    return error ? [{ ...container, reason: error.message }] : []
  })
  return { removed: left.filter((_, index) => !errors[index]), failed }
}

type Background = Pick<EngineRequest, 'inBackground'>

const removalMs = 10_000

/** Kills and removes a container, and waits until it is gone. Throws EngineError. */
export async function removeContainer(
  engine: Engine,
  id: string,
  background: Background = {},
): Promise<void> {
  const path = `/containers/${id}`
  const query = { force: 'true', v: 'true' }
  try {
    await engine.call({ method: 'DELETE', path, query, timeoutMs: removalMs, ...background })
  } catch (error) {
    if (!isEngineError(error)) throw error
    // 404: already gone. 409: being removed, by AutoRemove or by another request.
    if (error.status === 404) return
    if (error.status !== 409) throw error
    await goneAfterAll(engine, id, background)
  }
}

async function goneAfterAll(engine: Engine, id: string, background: Background): Promise<void> {
  const path = `/containers/${id}/wait`
  const query = { condition: 'removed' }
  try {
    await engine.call({ method: 'POST', path, query, timeoutMs: removalMs, ...background })
  } catch (error) {
    if (!isEngineError(error) || error.status !== 404) throw error
  }
}

/** Label of each of our containers: the process that made it, as JSON. */
export const hostLabel = 'vitrine.host'
export const modeLabel = 'vitrine.mode'
/** Label: the directory that the container was made for. */
export const workspaceLabel = 'vitrine.workspace'

const ourNames = new RegExp(`^vitrine-(${modes.join('|')})-[0-9a-f]{12}$`)

export function newName(mode: Mode): string {
  return `vitrine-${mode}-${randomBytes(6).toString('hex')}`
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
  return { pid, start: statFields(pid)?.[22] ?? '', ...namespacesHere() }
}

/** Undefined: the label is not one of ours. */
function readHost(label: string | undefined): HostProcess | undefined {
  const said = tried(() => JSON.parse(label ?? ''))
  return typeof said?.pid === 'number' && typeof said.boot === 'string' ? said : undefined
}

/** Whether the process runs; undefined: not visible from here. */
function isRunning({ pid, start, boot, namespace }: HostProcess): boolean | undefined {
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
