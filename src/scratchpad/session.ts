import { hostname } from 'node:os'
import { pidNamespace, signalled } from '../base/process.ts'

interface SessionOwner {
  readonly pid: number
  /** Identifies the machine and the PID namespace in which `pid` is valid. */
  readonly host: string
}

/** Milliseconds after its last change that a foreign session counts as in use. */
const foreignUseMs = 3_600_000

/** Unique by start time, owner and a random part. */
export function makeSessionName(): string {
  const began = new Date().toISOString().replace(/[^0-9TZ]/g, '')
  return `${began}-${process.pid}-${thisProcessHost()}-${eightDigits(Math.random() * 2 ** 32)}`
}

/** `undefined` for a name not made by `makeSessionName`. */
function ownerOf(session: string): SessionOwner | undefined {
  const [, pid, host] = /^[0-9TZ]+-(\d+)-([0-9a-f]{8})-[0-9a-f]{8}$/.exec(session) ?? []
  return pid === undefined || host === undefined ? undefined : { pid: Number(pid), host }
}

/** True if the session's process may still write. On another machine or in another container, age decides. */
export function isInUse(session: string, changedMs: number): boolean {
  const owner = ownerOf(session)
  if (!owner) return false
  return owner.host === thisProcessHost() ? signalled(owner.pid, 0) : Date.now() - changedMs < foreignUseMs
}

let host: string | undefined

function thisProcessHost(): string {
  host ??= eightDigits(hashOf(`${hostname()} ${pidNamespace()}`))
  return host
}

/** FNV-1a, 32 bits: distinguishes machines without loading node:crypto. */
function hashOf(text: string): number {
  return [...text].reduce(
    (hash, character) => Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16_777_619),
    0x811c9dc5,
  )
}

function eightDigits(number: number): string {
  return (number >>> 0).toString(16).padStart(8, '0')
}
