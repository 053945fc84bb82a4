import { listSessions, nearestKey, scratchpadRoots } from '../../internal.ts'
import { describedIn } from '../../messages/cli/help.ts'
import { subcommandMissing, tooManyWords, unknownSubcommand } from '../../messages/cli/run.ts'
import { grammar } from '../grammar.ts'
import { misuse, parseOptions } from '../options.ts'
import { standardOutput } from '../run/sink.ts'
import { type Named, offerFor } from './offers.ts'
import { scripts } from './scripts.ts'

/** `vitrine completion SHELL`: the script that a shell reads; `candidates -- WORD...`: what that script asks. */
export async function main([name, ...args]: readonly string[]): Promise<number> {
  const names = grammar.completion.words
  if (name === undefined) throw misuse(subcommandMissing('completion', names))
  if (name === 'candidates') return print(candidates(args[0] === '--' ? args.slice(1) : args))
  if (!isShell(name)) throw misuse(unknownSubcommand('completion', name, names, nearestKey(name, names)))
  const [word] = parseOptions(args, grammar.completion.options).words
  if (word !== undefined) throw misuse(tooManyWords(word, 'completion'))
  return print(scripts[name])
}

/** A line for each: the word, a tab, what it does; or one line that begins with a colon, for what the shell knows better. */
function candidates(words: readonly string[]): string {
  const offer = offerFor(words)
  if (offer.kind === 'command') return `:command ${offer.from}\n`
  if ('behind' in offer) return `:${offer.kind} ${offer.behind}\n`
  return wordsOf(offer, words.at(-1) ?? '')
    .map((line) => `${line}\n`)
    .join('')
}

function wordsOf(offer: Named, typed: string): readonly string[] {
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

/** The names of what was saved, each once. */
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
