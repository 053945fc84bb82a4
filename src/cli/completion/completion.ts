import { listSessions, nearestKey, scratchpadRoots } from '../../internal.ts'
import { describedIn } from '../../messages/cli/help.ts'
import { subcommandMissing, tooManyWords, unknownSubcommand } from '../../messages/cli/run.ts'
import { grammar } from '../grammar.ts'
import { misuse, parseOptions } from '../options.ts'
import { standardOutput } from '../run/sink.ts'
import { type OwnOffer, offerFor } from './offers.ts'
import { scripts } from './scripts.ts'

/** `vitrine completion SHELL`: the script for a shell; `candidates -- WORD...`: what that script calls. */
export async function main([name, ...args]: readonly string[]): Promise<number> {
  const names = grammar.completion.words
  if (name === undefined) throw misuse(subcommandMissing('completion', names))
  if (name === 'candidates') return print(candidates(args[0] === '--' ? args.slice(1) : args))
  if (!isShell(name)) throw misuse(unknownSubcommand('completion', name, names, nearestKey(name, names)))
  const [word] = parseOptions(args, grammar.completion.options).words
  if (word !== undefined) throw misuse(tooManyWords(word, 'completion'))
  return print(scripts[name])
}

/**
 * One line per candidate: the word, a tab, its description; or one line that begins with a colon, for what
 * the shell completes itself.
 */
function candidates(words: readonly string[]): string {
  const offer = offerFor(words)
  if (offer.kind === 'command') return `:command ${offer.from}\n`
  if ('behind' in offer) return `:${offer.kind} ${offer.behind}\n`
  return wordsOf(offer, words.at(-1) ?? '')
    .map((line) => `${line}\n`)
    .join('')
}

function wordsOf(offer: OwnOffer, typed: string): readonly string[] {
  switch (offer.kind) {
    case 'words':
      return offer.words.map((word) => `${word}\t`)
    case 'output':
      return outputs()
        .filter((name) => name.startsWith(typed))
        .map((name) => `${name}\t`)
    case 'options':
    case 'commands':
      return offer.words.map((word) => `${word}\t${describedIn(offer.command, word)}`)
  }
}

/** The names of saved outputs, without duplicates. */
function outputs(): readonly string[] {
  const sessions = listSessions(scratchpadRoots(process.env))
  return [...new Set(sessions.flatMap(({ entries }) => entries.map(({ name }) => name)))].sort()
}

function isShell(name: string): name is keyof typeof scripts {
  return Object.hasOwn(scripts, name)
}

async function print(text: string): Promise<number> {
  await standardOutput.write(text)
  return 0
}
