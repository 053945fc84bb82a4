/** Sentences of `vitrine mcp` as a program: its command line, and what it says while it serves. */

export function badMode(got: string): string {
  return `--mode takes read, write or both, not ${JSON.stringify(got)}.`
}

export function badApprove(got: string): string {
  return `--approve takes client, elicit or none, not ${JSON.stringify(got)}.`
}

export function badHttp(got: string): string {
  return `--http takes a port or HOST:PORT (--http 8080, --http 127.0.0.1:8080, --http [::1]:8080), not ${JSON.stringify(got)}.`
}

export function strayWords(words: readonly string[]): string {
  return `vitrine mcp takes no ${JSON.stringify(words[0])}; it is "vitrine mcp [OPTIONS]" or "vitrine mcp install CLIENT".`
}

export const emptyToken = 'VITRINE_TOKEN is empty: give it a value that nobody guesses, or leave it unset.'

export function tokenNeeded(host: string): string {
  return `Other machines can reach ${host}, so a token that you choose is needed: set VITRINE_TOKEN, or listen on 127.0.0.1.`
}

export function cannotListen(address: string, reason: string): string {
  return `Cannot listen on ${address}: ${reason}. Choose another port, or 0 for any that is free.`
}

export function listeningLine(url: string): string {
  return `listening on ${url}`
}

export function tokenLine(token: string): string {
  return `clients have to send "Authorization: Bearer ${token}"`
}

export const drainingLine = 'ending: waiting for what runs; a second signal kills it'

export function messageTooLong(bytes: number, limit: number): string {
  return `The message has ${bytes} bytes; at most ${limit} are read. Write large input to a file and pass its path.`
}
