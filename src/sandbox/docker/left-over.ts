import { type Engine, type EngineRequest, isEngineError } from './engine/engine.ts'
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
  /** No process is left that uses it. */
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

/** Every container with our label, of whatever process. Throws EngineError. */
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
  return {
    id: Id,
    name: Names?.[0]?.replace(/^\//, '') ?? Id.slice(0, 12),
    state: State,
    mode: Labels?.[modeLabel] ?? '',
    workspace: Labels?.[workspaceLabel] ?? '',
    image: Image,
    host,
    created: Created,
    leftOver: isOurName(Names?.[0]?.replace(/^\//, '')) && isLeftOver(host, State),
  }
}

/** Of a host that cannot be seen from here, only what has ended is left over. */
function isLeftOver(host: HostProcess, state: string): boolean {
  return !(runs(host) ?? ['running', 'created', 'paused', 'restarting'].includes(state))
}

/** What came of a clean-up. */
export interface CleanUp {
  readonly removed: readonly OwnContainer[]
  /** With the reason. */
  readonly failed: readonly (OwnContainer & { readonly reason: string })[]
}

/** Removes what hosts have left that are gone, and nothing else. One that cannot be removed keeps none of the others. Throws EngineError. */
export async function removeLeftOver(engine: Engine, background: Background = {}): Promise<CleanUp> {
  const left = (await ownContainers(engine, background)).filter(({ leftOver }) => leftOver)
  const reasons = await Promise.all(left.map(({ id }) => reasonFor(removeContainer(engine, id, background))))
  const failed = left.flatMap((container, index) => {
    const reason = reasons[index]
    return reason === undefined ? [] : [{ ...container, reason }]
  })
  return { removed: left.filter((_, index) => reasons[index] === undefined), failed }
}

/** Why it failed; undefined: it did not. */
async function reasonFor(removal: Promise<void>): Promise<string | undefined> {
  try {
    await removal
    return undefined
  } catch (error) {
    if (isEngineError(error)) return error.message
    throw error
  }
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
    // 404: it has gone. 409: it is going, by AutoRemove or by another request.
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
