import { createHash, timingSafeEqual } from 'node:crypto'
import { tried } from '../../base/errno.ts'
import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from '../sdk.ts'
import { errorResponse } from './sessions.ts'

export interface HttpToken {
  readonly name: string
  readonly token: string
  /** False: it only reads /metrics. */
  readonly runsCommands: boolean
}

interface AccessOptions {
  /** As it was given. */
  readonly host: string
  readonly tokens: readonly HttpToken[]
  readonly settings: { readonly hosts: readonly string[]; readonly origins: readonly string[] }
}

/** Who may call. */
export class Access {
  readonly #tokens: readonly { readonly token: HttpToken; readonly digest: Buffer }[]
  /** Undefined: any name. */
  readonly #names: string[] | undefined
  readonly #origins: string[]

  /** `address`: where it listens. */
  constructor({ host, tokens, settings }: AccessOptions, address: string) {
    this.#tokens = tokens.map((token) => ({ token, digest: digestOf(token.token) }))
    // DNS rebinding reaches a server on loopback. Elsewhere host names vary, and the token decides.
    const names = [...(isLoopback(address) ? localNames(host, address) : []), ...settings.hosts]
    this.#names = names.length === 0 || names.includes('*') ? undefined : names
    const origins = settings.origins.map((origin) => tried(() => new URL(origin).hostname) ?? origin)
    this.#origins = [...localhostAllowedOrigins(), ...origins]
  }

  /** Compares with each in constant time, so that the time tells nothing of any. */
  tokenOf(request: Request): HttpToken | undefined {
    const [, given] = /^Bearer +(\S+) *$/i.exec(request.headers.get('authorization') ?? '') ?? []
    if (given === undefined) return undefined
    // Hashed first: timingSafeEqual requires equal lengths, and the length is secret too.
    const own = digestOf(given)
    return this.#tokens.filter(({ digest }) => timingSafeEqual(digest, own))[0]?.token
  }

  /** The token of a request that may run commands, or why it may not. */
  admit(request: Request, pathname: string): HttpToken | Response {
    const rebound = this.#names && hostHeaderValidationResponse(request, this.#names)
    const refused = rebound ?? originValidationResponse(request, this.#origins)
    if (refused) return refused
    const token = this.tokenOf(request)
    if (!token) return errorResponse(401, 'A bearer token is required', { 'www-authenticate': 'Bearer' })
    if (pathname !== '/mcp' && pathname !== '/') return errorResponse(404, 'The endpoint is /mcp')
    return token.runsCommands ? token : errorResponse(403, 'This token may only read /metrics')
  }
}

/** Whether only this machine can connect. */
export function isLoopback(host: string): boolean {
  return /^(localhost|::1|(::ffff:)?127(\.\d{1,3}){3})$/i.test(host)
}

/** What clients of this machine call it: the usual names, the one that was given (`/etc/hosts`), and its address. */
function localNames(...hosts: readonly string[]): string[] {
  const urls = hosts.map((host) => (host.includes(':') ? `http://[${host}]` : `http://${host}`))
  return [...localhostAllowedHostnames(), ...urls.flatMap((url) => tried(() => new URL(url).hostname) ?? [])]
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
