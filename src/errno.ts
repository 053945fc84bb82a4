import { constants } from 'node:os'

/** Linux has one number for two names here (asm-generic/errno.h); man pages use the other. */
const aliases = new Set(['ENOTSUP', 'EWOULDBLOCK'])

const names = new Map(
  Object.entries(constants.errno)
    .filter(([name]) => !aliases.has(name))
    .map(([name, number]) => [number, name]),
)

/** The name of a system error number. util.getSystemErrorName knows only those that libuv uses: no ENOEXEC. */
export function errnoName(errno: number): string {
  return names.get(errno) ?? `errno ${errno}`
}
