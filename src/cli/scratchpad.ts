import { createReadStream } from 'node:fs'
import { errorCode } from '../base/errno.ts'
import { sizeText, visible } from '../base/text.ts'
import { clearSessions, findAnywhere, listSessions, scratchpadRoots } from '../internal.ts'
import { entryLine } from '../messages/scratchpad.ts'
import { misuse, type Options, runSubcommand } from './arguments.ts'
import { lostCode, print, standardOutput } from './output.ts'

export async function main(args: readonly string[]): Promise<number> {
  try {
    return await runSubcommand('scratchpad', { list, show, clear }, args)
  } catch (error) {
    if (errorCode(error) !== 'EACCES') throw error
    throw misuse(
      `${visible(Object(error).path)} cannot be read: it belongs to another user, as after sudo, or lacks your permissions. Change its owner or mode, or remove it.`,
    )
  }
}

async function list({ flags }: Options): Promise<number> {
  const sessions = listSessions(scratchpadRoots(process.env))
  return print(flags.has('json') ? `${JSON.stringify({ sessions })}\n` : scratchpadListing(sessions))
}

/** The listing of all sessions, newest last. */
function scratchpadListing(sessions: readonly ReturnType<typeof listSessions>[number][]): string {
  if (sessions.length === 0) return 'nothing saved\n'
  return sessions
    .map(({ session, inUse, bytes, entries }) => {
      const head = `${session}  ${sizeText(bytes)}${inUse ? '  (in use)' : ''}`
      return `${[head, ...entries.map((entry) => `  ${entryLine(entry)}`)].join('\n')}\n`
    })
    .join('')
}

async function show({ words: [name] }: Options): Promise<number> {
  if (name === undefined)
    throw misuse(
      'Choose one: vitrine scratchpad list [--json], vitrine scratchpad show NAME, or vitrine scratchpad clear.',
    )
  const entry = findAnywhere(scratchpadRoots(process.env), name)
  if (!entry)
    throw misuse(
      `Nothing is saved under ${JSON.stringify(name)}. "vitrine scratchpad list" lists the saved outputs; SESSION/NAME selects one of several.`,
    )
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
  const sessions = removed.length === 1 ? 'session' : 'sessions'
  const rest = kept.length === 0 ? '' : `; kept ${kept.length} that are in use or cannot be removed`
  return print(`removed ${removed.length} ${sessions} (${sizeText(bytes)})${rest}\n`)
}
