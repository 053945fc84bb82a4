import { VitrineError } from '../messages/error.ts'

/** From this ABI on a ruleset can tell unix sockets apart by their path (LANDLOCK_ACCESS_FS_RESOLVE_UNIX). */
export const unixSocketsAbi = 9

/** Throws SANDBOX_UNAVAILABLE where `[shell] unix_sockets` names any: nothing here can open one and keep the others shut. */
export function refuseUnixSockets(sockets: readonly string[], got: string): void {
  if (sockets.length === 0) return
  throw new VitrineError({
    code: 'SANDBOX_UNAVAILABLE',
    wanted: `unix sockets opened by their path ([shell] unix_sockets): Landlock ABI ${unixSocketsAbi} (Linux 7.1)`,
    got,
    remedy: 'set unix_sockets = [], or run a kernel that has it',
  })
}
