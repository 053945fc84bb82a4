import { basename } from 'node:path'
import type { Containers } from '../sandbox/docker/containers.ts'
import type { GitIdentity } from '../sandbox/docker/git-identity.ts'
import type { LaunchRequest } from './launch.ts'

/** The git identity for a shell line or git. Empty if its environment sets one already. */
export async function identityFor(
  { argv, environment }: Pick<LaunchRequest, 'argv' | 'environment'>,
  containers: Pick<Containers, 'gitIdentity'>,
): Promise<GitIdentity> {
  const mayCommit = /^(git|(ba|da|a|k|mk|z|fi)?sh)$/.test(basename(argv[0] ?? ''))
  const isSaid = Object.keys(environment).some((name) => /^GIT_(AUTHOR|COMMITTER)_(NAME|EMAIL)$/.test(name))
  return mayCommit && !isSaid ? containers.gitIdentity() : {}
}

interface Before {
  readonly merged: boolean
  /** The environment carries the host's git identity. */
  readonly hasIdentity: boolean
}

/** The command's argv, wrapped in a shell if anything has to be done first. */
export function wrapped(argv: readonly string[], { merged, hasIdentity }: Before): readonly string[] {
  if (!merged && !hasIdentity) return argv
  const exec = `exec "$0" "$@"${merged ? ' 2>&1' : ''}`
  return ['/bin/sh', '-c', hasIdentity ? `${ownIdentityFirst}${exec}` : exec, ...argv]
}

/** An identity in the container's or the repository's git configuration takes precedence. */
const ownIdentityFirst = `
if command -v git >/dev/null 2>&1; then
  git config user.name >/dev/null 2>&1 && unset GIT_AUTHOR_NAME GIT_COMMITTER_NAME
  git config user.email >/dev/null 2>&1 && unset GIT_AUTHOR_EMAIL GIT_COMMITTER_EMAIL
fi
`
