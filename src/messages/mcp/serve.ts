/** Messages of `vitrine mcp`: its command line, its progress and its HTTP errors. */

export const emptyToken = 'VITRINE_TOKEN is empty. Set it to a value that is hard to guess, or unset it.'

export const unsendableToken =
  'VITRINE_TOKEN contains white space or a character that is not ASCII, which no client can send. Use letters, digits and punctuation.'

export function tokenNeeded(host: string): string {
  return `Other machines can reach ${host}, so it needs a token of your choice. Set VITRINE_TOKEN, or listen on 127.0.0.1.`
}

export function cannotListen(address: string, reason: string): string {
  return `Cannot listen on ${address}: ${reason}. Choose another port, or 0 for any free one.`
}

/** Of an error of the SDK. One of its schemas carries all of its findings, in many lines. */
export function troubleLine(error: Error): string {
  return 'issues' in error ? 'skipped what is no message of JSON-RPC 2.0' : error.message
}

export function listeningLine(url: string): string {
  return `listening on ${url}`
}

export function tokenLine(token: string): string {
  return `clients must send "Authorization: Bearer ${token}"`
}

export const drainingLine = 'shutting down: waiting for running commands; a second signal kills them'

export const httpErrors = {
  ending: 'The server is shutting down',
  badRequest: 'The method or the address is not valid',
  unauthorized: 'A bearer token is required',
  notFound: 'The endpoint is /mcp',
  noSession: 'Session not found',
  manySessions: 'Too many sessions',
} as const
