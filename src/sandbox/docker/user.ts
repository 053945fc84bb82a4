import { stat } from 'node:fs/promises'
import type { Engine } from './engine/engine.ts'
import type { ContainerUser } from './spec.ts'

/**
 * `[docker] user`: an id, the workspace's owner, or this process's user. A rootless engine's root is its own
 * user, every other id a different one of the host.
 */
export async function userOf(
  { isRootless }: EngineInfo,
  named: string,
  workspace: string,
): Promise<ContainerUser> {
  const [uid, gid = uid] = named.split(':').map(Number)
  if (uid !== undefined && gid !== undefined && /^\d/.test(named)) return { uid, gid, groups: [] }
  if (isRootless) return { uid: 0, gid: 0, groups: [] }
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
  readonly SecurityOptions?: readonly string[] | null
  /** Podman's own field; before 4.6 it has no security option for it. */
  readonly Rootless?: boolean
}

export interface EngineInfo {
  readonly isRootless: boolean
  /** It applies its default seccomp profile. */
  readonly hasSeccomp: boolean
}

/** Throws EngineError. */
export async function engineInfo(engine: Engine): Promise<EngineInfo> {
  const info = await engine.call<Info | undefined>({ method: 'GET', path: '/info' })
  const { SecurityOptions, Rootless } = info ?? {}
  const has = (pattern: RegExp) => (SecurityOptions ?? []).some((option) => pattern.test(option))
  return {
    isRootless: Rootless === true || has(/^name=rootless\b/),
    hasSeccomp: has(/^name=seccomp,profile=(default|builtin)$/),
  }
}
