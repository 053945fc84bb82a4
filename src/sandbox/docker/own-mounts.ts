import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeDirectories } from '../../base/directories.ts'
import { baseDirectory } from '../../base/paths.ts'
import { replaceFile } from '../../base/replace-file.ts'
import type { Environment } from '../../base/types.ts'
import { accountText } from './account.ts'
import type { Engine } from './engine/engine.ts'
import type { ContainerUser } from './spec.ts'
import { hostsPath, type UserMount } from './user-mounts.ts'

/** hosts(5), as the engine writes it for a container without a network. */
const hosts = '127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n'

/**
 * Below those of `[docker] mounts`: /etc/hosts, and /etc/passwd for `whoami`, ssh and Python's `getpass`.
 * Cached in the state directory; what cannot be written is left out. Throws EngineError.
 */
export async function ownMounts(
  engine: Engine,
  imageId: string,
  user: ContainerUser,
  env: Environment,
): Promise<readonly UserMount[]> {
  const image = imageId.replace(/^sha256:/, '').slice(0, 32)
  const found = await Promise.all([
    kept(env, `passwd-${image}-${user.uid}-${user.gid}`, '/etc/passwd', () =>
      accountText(engine, imageId, user),
    ),
    kept(env, 'hosts', hostsPath, async () => hosts),
  ])
  return found.filter((mount) => mount !== undefined)
}

async function kept(
  env: Environment,
  name: string,
  target: string,
  textOf: () => Promise<string>,
): Promise<UserMount | undefined> {
  const source = join(baseDirectory(env, 'XDG_STATE_HOME'), 'vitrine/docker', name)
  if (existsSync(source)) return { source, target, writable: false }
  const text = await textOf()
  try {
    makeDirectories(dirname(source), 0o700)
    replaceFile(source, text, 0o644)
    return { source, target, writable: false }
  } catch {
    return undefined // commands still run, as a user without a name
  }
}
