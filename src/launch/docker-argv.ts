import { basename } from 'node:path'
import type { Containers } from '../sandbox/docker/containers.ts'
import type { GitIdentity } from '../sandbox/docker/git-identity.ts'
import type { LaunchRequest } from './launch.ts'

/** Who commits, for a command that may: a shell line, or git itself. Empty where its environment says so already. */
export async function identityFor(
  { argv, environment }: Pick<LaunchRequest, 'argv' | 'environment'>,
  containers: Pick<Containers, 'gitIdentity'>,
): Promise<GitIdentity> {
  const mayCommit = ['git', 'sh'].includes(basename(argv[0] ?? ''))
  const isSaid = Object.keys(environment).some((name) => /^GIT_(AUTHOR|COMMITTER)_(NAME|EMAIL)$/.test(name))
  return mayCommit && !isSaid ? containers.gitIdentity() : {}
}

/** What a shell does before it becomes the command. */
interface Before {
  /** Both outputs are joined: their order is to be exact. */
  readonly merged: boolean
  /** The environment says who commits on the host. */
  readonly hasIdentity: boolean
}

/** The command's words, behind those of a shell where that has something to do first. */
export function wrapped(argv: readonly string[], { merged, hasIdentity }: Before): readonly string[] {
  if (!merged && !hasIdentity) return argv
  const exec = `exec "$0" "$@"${merged ? ' 2>&1' : ''}`
  return ['/bin/sh', '-c', hasIdentity ? `${ownIdentityFirst}${exec}` : exec, ...argv]
}

/** The container's own configuration, or the repository's, says better who commits. */
const ownIdentityFirst = `
if command -v git >/dev/null 2>&1; then
  git config user.name >/dev/null 2>&1 && unset GIT_AUTHOR_NAME GIT_COMMITTER_NAME
  git config user.email >/dev/null 2>&1 && unset GIT_AUTHOR_EMAIL GIT_COMMITTER_EMAIL
fi
`
