import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { thisHost } from '../../src/host/host.ts'

/** Why no command can bind a socket or lock a file exclusively; null where it can. */
export function cannotBorrow(): string | null {
  const errno = thisHost().probe?.getfdErrno ?? 0
  return errno === 0 ? null : 'a filter around these tests blocks pidfd_getfd(2)'
}

/** Why some system calls are refused before they reach the filter of read mode; null where none are. */
export function filterAround(): string | null {
  if (process.platform !== 'linux') return null
  const none = /^Seccomp:\s*0$/m.test(readFileSync('/proc/self/status', 'utf8'))
  return none ? null : 'a filter around these tests refuses some of these calls first'
}

/** Why `unshare` cannot make these namespaces; null where it can. */
export function cannotUnshare(...options: readonly string[]): string | null {
  const { status, stderr } = spawnSync('unshare', [...options, 'true'], { encoding: 'utf8' })
  return status === 0
    ? null
    : `no namespace can be made here: ${stderr?.trim() ?? 'unshare is not installed'}`
}

/** Why commands have no sockets of their own here; null where they have. */
export function ownWorldMissing(): string | null {
  const { probe } = thisHost()
  if (!probe?.listener) return 'needs a seccomp listener'
  if (probe.getfdErrno !== 0) return 'a filter around these tests blocks pidfd_getfd(2)'
  return probe.socketsErrno === 0 ? null : 'the kernel does not tell whose a socket is (CONFIG_INET_DIAG)'
}
