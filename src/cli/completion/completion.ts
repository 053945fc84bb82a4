import { listSessions, scratchpadRoots } from '../../internal.ts'
import { describedIn } from '../../messages/cli/help.ts'
import { print } from '../run/sink.ts'
import { runSubcommand } from '../subcommand.ts'
import { type OwnOffer, offerFor } from './offers.ts'
import { scripts } from './scripts.ts'

/** `vitrine completion SHELL`: the script for a shell; `candidates -- WORD...`: what that script calls. */
export function main(args: readonly string[]): Promise<number> {
  const [name, ...words] = args
  if (name === 'candidates') return print(candidates(words[0] === '--' ? words.slice(1) : words))
  const { bash, zsh, fish } = scripts
  const shells = { bash: () => print(bash), zsh: () => print(zsh), fish: () => print(fish) }
  return runSubcommand('completion', shells, args)
}

/** One line per candidate: word, tab, description; or a line `:...` for what the shell completes itself. */
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
