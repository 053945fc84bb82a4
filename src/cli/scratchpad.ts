import { createReadStream } from 'node:fs'
import { errorCode } from '../base/errno.ts'
import { clearSessions, findAnywhere, listSessions, scratchpadRoots } from '../internal.ts'
import {
  clearedText,
  scratchpadListing,
  scratchpadUsage,
  unknownEntry,
  unreadableOutputs,
} from '../messages/scratchpad.ts'
import { misuse, type Options } from './options.ts'
import { lostCode, print, standardOutput } from './run/sink.ts'
import { runSubcommand } from './subcommand.ts'

export async function main(args: readonly string[]): Promise<number> {
  try {
    return await runSubcommand('scratchpad', { list, show, clear }, args)
  } catch (error) {
    if (errorCode(error) !== 'EACCES') throw error
    throw misuse(unreadableOutputs(Object(error).path))
  }
}

async function list({ flags }: Options): Promise<number> {
  const sessions = listSessions(scratchpadRoots(process.env))
  return print(flags.has('json') ? `${JSON.stringify({ sessions })}\n` : scratchpadListing(sessions))
}

async function show({ words: [name] }: Options): Promise<number> {
  if (name === undefined) throw misuse(scratchpadUsage)
  const entry = findAnywhere(scratchpadRoots(process.env), name)
  if (!entry) throw misuse(unknownEntry(name))
  for await (const chunk of createReadStream(entry.path)) {
    await standardOutput.write(chunk as Buffer)
    // Also where the reader is gone, as with `| head`.
    if (standardOutput.broken !== undefined) return lostCode(standardOutput.broken)
  }
  return 0
}

async function clear(): Promise<number> {
  const { removed, kept } = clearSessions(scratchpadRoots(process.env))
  const bytes = removed.reduce((sum, session) => sum + session.bytes, 0)
  return print(clearedText(removed.length, bytes, kept.length))
}
