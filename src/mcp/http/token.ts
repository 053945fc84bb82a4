import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** A token that nobody guesses: 256 bits. */
export function makeToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Whether a request carries the token, in a time that tells nothing about it. */
export function carriesToken(authorization: string | undefined, token: string): boolean {
  const [, given] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? []
  // Hashed first: timingSafeEqual wants equal lengths, and a length tells something too.
  return given !== undefined && timingSafeEqual(digest(given), digest(token))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
