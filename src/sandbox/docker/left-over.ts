import { type Engine, isEngineError } from './engine.ts'
import {
  type HostProcess,
  hostLabel,
  isOurName,
  modeLabel,
  readHost,
  runs,
  workspaceLabel,
} from './host-label.ts'

/** A container of vitrine's, of any process. */
export interface OwnContainer {
  readonly id: string
  /** Names of the engine's, without the slash. */
  readonly name: string
  /** `running`, `exited`, ... as the engine calls it. */
  readonly state: string
  readonly mode: string
  readonly workspace: string
  readonly image: string
  readonly host: HostProcess
  /** Seconds since 1970. */
  readonly created: number
  /** Nobody is left who uses it. */
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

/** Every container that bears our label, of whatever process. Throws EngineError. */
export async function ownContainers(engine: Engine): Promise<OwnContainer[]> {
  const filters = JSON.stringify({ label: [hostLabel] })
  const listed = await engine.call<readonly Listed[]>({
    method: 'GET',
    path: '/containers/json',
    query: { all: 'true', filters },
  })
  return listed.flatMap((container) => {
    const host = readHost(container.Labels?.[hostLabel])
    return host ? [described(container, host)] : []
  })
}

function described({ Id, Names, State, Image, Created, Labels }: Listed, host: HostProcess): OwnContainer {
  return {
    id: Id,
    name: Names?.[0]?.replace(/^\//, '') ?? Id.slice(0, 12),
    state: State,
    mode: Labels?.[modeLabel] ?? '',
    workspace: Labels?.[workspaceLabel] ?? '',
    image: Image,
    host,
    created: Created,
    leftOver: isOurName(Names?.[0]?.replace(/^\//, '')) && isNobodys(host, State),
  }
}

/** Of a host that cannot be seen from here, only what has ended is nobody's. */
function isNobodys(host: HostProcess, state: string): boolean {
  return !(runs(host) ?? ['running', 'created', 'paused', 'restarting'].includes(state))
}

/** Removes what hosts have left that are gone, and nothing else. Resolves to what was removed. Throws EngineError. */
export async function removeLeftOver(engine: Engine): Promise<OwnContainer[]> {
  const left = (await ownContainers(engine)).filter(({ leftOver }) => leftOver)
  await Promise.all(left.map(({ id }) => removeContainer(engine, id)))
  return left
}

const removalMs = 10_000

/** Kills and removes a container, and waits until it is gone. Throws EngineError. */
export async function removeContainer(engine: Engine, id: string): Promise<void> {
  const path = `/containers/${id}`
  try {
    await engine.call({ method: 'DELETE', path, query: { force: 'true', v: 'true' }, timeoutMs: removalMs })
  } catch (error) {
    if (!isEngineError(error)) throw error
    // 404: it has gone. 409: it is going, by AutoRemove or by another one of us.
    if (error.status === 404) return
    if (error.status !== 409) throw error
    await goneAfterAll(engine, id)
  }
}

async function goneAfterAll(engine: Engine, id: string): Promise<void> {
  const query = { condition: 'removed' }
  try {
    await engine.call({ method: 'POST', path: `/containers/${id}/wait`, query, timeoutMs: removalMs })
  } catch (error) {
    if (!isEngineError(error) || error.status !== 404) throw error
  }
}
