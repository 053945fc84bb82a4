import { stat } from 'node:fs/promises'
import type { Engine } from './engine/engine.ts'
import type { ContainerUser } from './spec.ts'

/**
 * `[docker] user`: an id, the workspace's owner, or this process's user. A rootless engine's root is its own
 * user, every other id a different one of the host. Throws EngineError.
 */
export async function userOf(engine: Engine, named: string, workspace: string): Promise<ContainerUser> {
  const [uid, gid = uid] = named.split(':').map(Number)
  if (uid !== undefined && gid !== undefined && /^\d/.test(named)) return { uid, gid, groups: [] }
  if (await isRootless(engine)) return { uid: 0, gid: 0, groups: [] }
  if (named === 'owner') {
    const owner = await stat(workspace)
    return { uid: owner.uid, gid: owner.gid, groups: [] }
  }
  return {
    uid: process.getuid?.() ?? 0,
    gid: process.getgid?.() ?? 0,
    groups: process.getgroups?.() ?? [],
  }
}

interface Info {
  readonly SecurityOptions?: readonly string[]
  /** Podman's own field; before 4.6 it has no security option for it. */
  readonly Rootless?: boolean
}

async function isRootless(engine: Engine): Promise<boolean> {
  const { SecurityOptions = [], Rootless } = await engine.call<Info>({ method: 'GET', path: '/info' })
  return Rootless === true || SecurityOptions.some((option) => /^name=rootless\b/.test(option))
}
