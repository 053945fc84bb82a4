import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { errorReason } from '../base/errno.ts'
import { platform } from '../base/platform.ts'
import { type Mode, modes, ownState } from '../internal.ts'
import { type HttpToken, isLoopback } from '../mcp/http/access.ts'
import type { ServerOptions } from '../mcp/session.ts'
import { misuse } from './arguments.ts'

/** A client of `vitrine mcp --http`, by the token that it sends. */
export interface TokenHolder extends HttpToken {
  /** Undefined: those that the server serves. */
  readonly modes?: readonly Mode[]
}

/** Shorter ones can be guessed over a network. */
const shortest = 16

/** Those of the file, and that of VITRINE_TOKEN; without either one that is made up here. */
export function tokensFor(host: string, file: string): { holders: TokenHolder[]; made: string | undefined } {
  const chosen = process.env['VITRINE_TOKEN']
  const own = chosen === undefined ? [] : [{ name: 'VITRINE_TOKEN', token: chosen, runsCommands: true }]
  const holders: TokenHolder[] = [...own, ...(file === '' ? [] : holdersIn(file))]
  for (const { name, token } of holders) checkToken(name, token, host)
  const twice = holders.find(({ token }, at) => holders.findIndex((other) => other.token === token) !== at)
  if (twice) throw misuse(`${twice.name} has the token of another client. Give each its own.`)
  if (holders.length > 0) return { holders, made: undefined }
  if (!isLoopback(host))
    throw misuse(
      `Other machines can reach ${host}, so it needs a token of your choice. Set VITRINE_TOKEN or [http] tokens, or listen on 127.0.0.1.`,
    )
  const made = randomBytes(32).toString('base64url')
  return { holders: [{ name: 'printed', token: made, runsCommands: true }], made }
}

function checkToken(name: string, token: string, host: string): void {
  if (token === '')
    throw misuse('VITRINE_TOKEN is empty. Set it to a value that is hard to guess, or unset it.')
  // A header carries no other characters, so no client could send the token.
  if (!/^[!-~]+$/.test(token))
    throw misuse(
      `${name} contains white space or a character that is not ASCII, which no client can send. Use letters, digits and punctuation.`,
    )
  if (token.length < shortest && !isLoopback(host))
    throw misuse(
      `Other machines can reach ${host}, and the token ${name} is shorter than ${shortest} characters, so it can be guessed. Choose one such as "openssl rand -hex 32" prints.`,
    )
}

/** Lines of `NAME MODES TOKEN`. */
function holdersIn(file: string): TokenHolder[] {
  const lines = linesOf(file)
  if (platform !== 'windows' && (statSync(file).mode & 0o022) !== 0)
    throw misuse(`Other users can write to ${file}, and so add tokens of their own. Run: chmod go-w ${file}`)
  const holders = lines.flatMap((line, at) => {
    const [name = '', given = '', token, ...rest] = line.trim().split(/\s+/)
    if (name === '' || name.startsWith('#')) return []
    const own = given === 'none' ? [] : given.split(',')
    const isKnown = own.every((word) => modes.some((mode) => mode === word))
    // The line is not quoted: it holds a secret.
    if (!/^[A-Za-z0-9][\w-]{0,62}$/.test(name) || !isKnown || token === undefined || rest.length > 0)
      throw misuse(
        `${file}:${at + 1}: expected NAME MODES TOKEN: a name of letters, digits and dashes; read, workspace and write, separated by commas, or none; and the token.`,
      )
    return [{ name, token, modes: modes.filter((mode) => own.includes(mode)), runsCommands: own.length > 0 }]
  })
  const names = ['VITRINE_TOKEN', ...holders.map(({ name }) => name)]
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined)
    throw misuse(`${file}: "${twice}" stands there twice. Give each token a name of its own.`)
  if (holders.length === 0) throw misuse(`${file} has no tokens. Add lines of NAME MODES TOKEN.`)
  return holders
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n')
  } catch (error) {
    throw misuse(
      `Cannot read ${file} ([http] tokens): ${errorReason(error)}. Correct the path, or its permissions.`,
    )
  }
}

/**
 * What each may use. With a file of tokens the outputs of each are saved in a directory of its own, and no commands read the file or
 * the directories of the others.
 */
export function optionsOf(
  given: ServerOptions,
  holders: readonly TokenHolder[],
  file: string,
): ReadonlyMap<string, ServerOptions> {
  const places = new Map(holders.map(({ name }) => [name, file === '' ? undefined : placeOf(name)]))
  return new Map(
    holders.map(({ name, modes: own }) => {
      const others = [...places].flatMap(([other, place]) => (place && other !== name ? [place] : []))
      const separate = file !== '' && { scratchpadIn: places.get(name), unreadable: [file, ...others] }
      return [name, { ...given, modes: usable(name, own, given.modes), ...separate }]
    }),
  )
}

/** Those of the token that the server serves. Throws INVALID_REQUEST for one that could never run anything. */
function usable(
  name: string,
  own: readonly Mode[] | undefined,
  served: readonly Mode[] | undefined,
): readonly Mode[] | undefined {
  if (!own || !served) return own ?? served
  const both = own.filter((mode) => served.includes(mode))
  if (both.length === 0 && own.length > 0)
    throw misuse(
      `The token ${name} may use ${own.join(', ')}, but --mode serves ${served.join(', ')}. Change either, or leave out --mode.`,
    )
  return both
}

/** Made now: what does not exist cannot be kept from being read. */
function placeOf(name: string): string {
  const place = join(ownState(process.env), 'http', name)
  try {
    mkdirSync(place, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw misuse(
      `Cannot make ${place}, where the outputs of the token ${name} are saved: ${errorReason(error)}. Set XDG_STATE_HOME to a directory that can be written to.`,
    )
  }
  return place
}
