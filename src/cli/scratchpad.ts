import { createReadStream } from 'node:fs'
import { clearSessions, findAnywhere, listSessions, scratchpadRoots } from '../internal.ts'
import { clearedText, scratchpadListing, scratchpadUsage, unknownEntry } from '../messages/scratchpad.ts'
import { grammar } from './grammar.ts'
import { misuse, parseOptions } from './options.ts'
import { standardOutput } from './run/sink.ts'

/** `vitrine scratchpad list | show NAME | clear`: the saved outputs of all sessions. */
export async function main(args: readonly string[]): Promise<number> {
  const [action, ...rest] = parseOptions(args, {}).words
  const roots = scratchpadRoots(process.env)
  switch (action) {
    case 'list':
      return list(roots, rest)
    case 'show':
      return show(roots, parseOptions(rest, {}).words)
    case 'clear':
      return clear(roots, parseOptions(rest, {}).words)
    default:
      throw misuse(scratchpadUsage)
  }
}

async function list(roots: readonly string[], args: readonly string[]): Promise<number> {
  const { flags, words } = parseOptions(args, grammar.scratchpad.commands.list.options)
  if (words.length > 0) throw misuse(scratchpadUsage)
  const sessions = listSessions(roots)
  await standardOutput.write(
    flags.has('json') ? `${JSON.stringify({ sessions })}\n` : scratchpadListing(sessions),
  )
  return 0
}

/** Prints the saved bytes unchanged. */
async function show(roots: readonly string[], [name, ...more]: readonly string[]): Promise<number> {
  if (name === undefined || more.length > 0) throw misuse(scratchpadUsage)
  const entry = findAnywhere(roots, name)
  if (!entry) throw misuse(unknownEntry(name))
  for await (const chunk of createReadStream(entry.path)) {
    await standardOutput.write(chunk as Buffer)
    // The reader is gone, as with `| head`.
    if (standardOutput.broken !== undefined) break
  }
  return 0
}

async function clear(roots: readonly string[], words: readonly string[]): Promise<number> {
  if (words.length > 0) throw misuse(scratchpadUsage)
  const { removed, kept } = clearSessions(roots)
  const bytes = removed.reduce((sum, session) => sum + session.bytes, 0)
  await standardOutput.write(clearedText(removed.length, bytes, kept.length))
  return 0
}
