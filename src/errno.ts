import { constants } from 'node:os'

const names = new Map(Object.entries(constants.errno).map(([name, number]) => [number, name]))

/** The name of a system error number. util.getSystemErrorName knows only those that libuv uses: no ENOEXEC. */
export function errnoName(errno: number): string {
  return names.get(errno) ?? `errno ${errno}`
}
