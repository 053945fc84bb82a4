import type { Environment } from '../base/types.ts'
import { isSecretName } from '../request/environment.ts'

/** The password of a URL: RFC 3986, userinfo. */
const urlPassword = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@:]*:([^\s/?#@]+)@/i

/** Shorter values could be words of any command. */
const shortest = 8
const longEnough = 12

/** Replaces values of secret variables by their bracketed names, in every string of a value. */
export type Redact = <T>(value: T) => T

/** Hides the values of variables with secret names. If two have the same value, the later name applies. */
export function redactor(...environments: readonly Environment[]): Redact {
  const names = new Map(environments.flatMap((variables) => Object.entries(variables).flatMap(secretOf)))
  if (names.size === 0) return (value) => value
  // Longest first: one value may contain another.
  const values = [...names.keys()].sort((a, b) => b.length - a.length)
  const any = new RegExp(
    values.map((value) => value.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&')).join('|'),
    'g',
  )
  const hide = (text: string) => text.replaceAll(any, (value) => `[${names.get(value)}]`)
  return (value) => inEach(value, hide)
}

function secretOf([name, value = '']: [string, string | undefined]): [string, string][] {
  const inUrl = urlPassword.exec(value)?.[1]
  const found: [string, string][] = inUrl === undefined ? [] : [[inUrl, name]]
  if (isSecretName(name) && isNoWord(value)) found.push([value, name])
  return found.flatMap(([secret]) => spellings(secret).map((spelled): [string, string] => [spelled, name]))
}

/** As is, as between single quotes of a shell, and as in JSON, which messages use. */
function spellings(value: string): string[] {
  return [...new Set([value, value.replaceAll("'", "'\\''"), JSON.stringify(value).slice(1, -1)])]
}

function isNoWord(value: string): boolean {
  return value.length >= longEnough || (value.length >= shortest && /[^a-z]/i.test(value))
}

function inEach<T>(value: T, change: (text: string) => string): T
function inEach(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((item) => inEach(item, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inEach(item, change)]))
}
