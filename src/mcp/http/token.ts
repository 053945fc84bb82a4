import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

export function makeToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Whether a request carries the token, compared in constant time. */
export function carriesToken(authorization: string | undefined, token: string): boolean {
  const [, given] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? []
  // Hashed first: timingSafeEqual requires equal lengths, and the length is secret too.
  return given !== undefined && timingSafeEqual(digest(given), digest(token))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
