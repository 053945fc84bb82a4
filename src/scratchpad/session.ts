import { readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { errorCode } from '../base/errno.ts'

/** What the name of a session tells. */
export interface SessionOwner {
  readonly pid: number
  /** Stands for the machine and the PID namespace in which the number means that process. */
  readonly host: string
}

/** A foreign session counts as in use this long after its last change, in milliseconds. */
const foreignUseMs = 3_600_000

/** A name that no other session has: when it began, whose it is, and a random part. */
export function makeSessionName(now = new Date()): string {
  const began = now.toISOString().replace(/[^0-9TZ]/g, '')
  return `${began}-${process.pid}-${thisProcessHost()}-${eightDigits(Math.random() * 2 ** 32)}`
}

/** Undefined for a name that was not made by `makeSessionName`. */
export function ownerOf(session: string): SessionOwner | undefined {
  const [, pid, host] = /^[0-9TZ]+-(\d+)-([0-9a-f]{8})-[0-9a-f]{8}$/.exec(session) ?? []
  return pid === undefined || host === undefined ? undefined : { pid: Number(pid), host }
}

/** Whether the process of the session may still write to it. One of another machine or container is judged by its age. */
export function isInUse(session: string, changedMs: number, nowMs: number): boolean {
  const owner = ownerOf(session)
  if (!owner) return false
  return owner.host === thisProcessHost() ? isAlive(owner.pid) : nowMs - changedMs < foreignUseMs
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: there is such a process, and it is somebody else's (kill(2)).
    return errorCode(error) === 'EPERM'
  }
}

let host: string | undefined

function thisProcessHost(): string {
  host ??= eightDigits(hashOf(`${hostname()} ${pidNamespace()}`))
  return host
}

/** namespaces(7): containers that share a state directory do not share process numbers. */
function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    // Not Linux, or no /proc: there is one namespace only, or none to be told apart.
    return ''
  }
}

/** FNV-1a, 32 bits: tells machines apart, and loads nothing, as node:crypto would. */
function hashOf(text: string): number {
  return [...text].reduce(
    (hash, character) => Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16_777_619),
    0x811c9dc5,
  )
}

function eightDigits(number: number): string {
  return (number >>> 0).toString(16).padStart(8, '0')
}
