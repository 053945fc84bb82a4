import { stat } from 'node:fs/promises'
import type { Engine } from './engine/engine.ts'
import type { ContainerUser } from './spec.ts'

/**
 * The user of commands: by `[docker] user` an id, the owner of the workspace, or the user of this process. In a rootless engine
 * root of a container is the user who runs the engine, and every other id is another one of the host's. Throws EngineError.
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

async function isRootless(engine: Engine): Promise<boolean> {
  const { SecurityOptions = [] } = await engine.call<{ readonly SecurityOptions?: readonly string[] }>({
    method: 'GET',
    path: '/info',
  })
  return SecurityOptions.some((option) => /^name=rootless\b/.test(option))
}
