import { unavailable } from '../messages/error.ts'
import { unixSocketsMissing } from '../messages/sandbox/linux.ts'

/** Since this ABI a ruleset can tell unix sockets apart by path (LANDLOCK_ACCESS_FS_RESOLVE_UNIX). */
export const unixSocketsAbi = 9

/** Throws SANDBOX_UNAVAILABLE unless empty: this host cannot open single sockets only. */
export function refuseUnixSockets(sockets: readonly string[], got: string): void {
  if (sockets.length === 0) return
  throw unavailable(unixSocketsMissing(unixSocketsAbi, got))
}
