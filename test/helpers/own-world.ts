import { thisHost } from '../../src/host/host.ts'

/** Why commands have no sockets of their own here; null where they have. */
export function ownWorldMissing(): string | null {
  const { probe } = thisHost()
  if (!probe?.listener) return 'needs a seccomp listener'
  if (probe.getfdErrno !== 0) return 'a filter around these tests blocks pidfd_getfd(2)'
  return probe.socketsErrno === 0 ? null : 'the kernel does not tell whose a socket is (CONFIG_INET_DIAG)'
}
