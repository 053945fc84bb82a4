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

/** The `code` of an error, for example `ENOENT`. `instanceof Error` is false for the errors of another realm (Jest, `node:vm`). */
export function errorCode(error: unknown): string | undefined {
  return textAt(error, 'code')
}

/** The message of an error. */
export function errorMessage(error: unknown): string | undefined {
  return textAt(error, 'message')
}

/** What was thrown, in words. */
export function errorText(error: unknown): string {
  return errorMessage(error) ?? String(error)
}

function textAt(error: unknown, name: 'code' | 'message'): string | undefined {
  const value: unknown = Object(error)[name]
  return typeof value === 'string' ? value : undefined
}
