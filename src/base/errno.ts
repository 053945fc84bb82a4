import { constants } from 'node:os'

/** Linux gives one number to two names (asm-generic/errno.h); man pages use the other one. */
const aliases = new Set(['ENOTSUP', 'EWOULDBLOCK'])

/** The name of an errno. util.getSystemErrorName knows only the errors of libuv, so not ENOEXEC. */
export function errnoName(errno: number): string {
  const known = Object.entries(constants.errno)
  return known.find(([name, number]) => number === errno && !aliases.has(name))?.[0] ?? `errno ${errno}`
}

/** For example `ENOENT`. `instanceof Error` is false for errors of another realm (Jest, `node:vm`). */
export function errorCode(error: unknown): string | undefined {
  return textAt(error, 'code')
}

export function errorMessage(error: unknown): string | undefined {
  return textAt(error, 'message')
}

/** Of any thrown value, also of one whose message cannot be read, or that cannot be converted to a string. */
export function errorText(error: unknown): string {
  return tried(() => errorMessage(error) ?? String(error)) ?? typeof error
}

/** The code of a failed system call, else the text of the error. */
export function errorReason(error: unknown): string {
  return errorCode(error) ?? errorText(error)
}

export function codedError(code: string): Error {
  return Object.assign(new Error(code), { code })
}

function textAt(error: unknown, name: 'code' | 'message'): string | undefined {
  const value: unknown = Object(error)[name]
  return typeof value === 'string' ? value : undefined
}

export function succeeds(work: () => void): boolean {
  try {
    work()
    return true
  } catch {
    return false
  }
}

/** What a function returns; undefined if it throws, where every error means the same. */
export function tried<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
