import { clipped, sizeText, visible } from '../base/text.ts'
import type { ScratchpadEntry, ScratchpadSession } from '../scratchpad/list.ts'

const maxCommandLength = 100

/** One line about an entry: name, size, how its command ended, and the command. */
export function entryLine({ name, bytes, changedMs, metadata }: ScratchpadEntry): string {
  const saved = new Date(changedMs).toISOString().replace(/\.\d+Z$/, 'Z')
  if (!metadata) return `${name}  ${sizeText(bytes)}  ${saved}  (its command did not finish)`
  const command = typeof metadata.command === 'string' ? metadata.command : metadata.command.join(' ')
  return `${name}  ${sizeText(bytes)}  ${saved}  ${ended(metadata)}  ${clipped(command, maxCommandLength)}`
}

function ended({ outcome, exitCode, signal }: NonNullable<ScratchpadEntry['metadata']>): string {
  if (outcome === 'exited') return `exit ${exitCode}`
  return outcome === 'signalled' ? String(signal) : outcome
}

/** The listing of all sessions, newest last. */
export function scratchpadListing(
  sessions: readonly Omit<ScratchpadSession, 'directory' | 'changedMs'>[],
): string {
  if (sessions.length === 0) return 'nothing saved\n'
  return sessions
    .map(({ session, inUse, bytes, entries }) => {
      const head = `${session}  ${sizeText(bytes)}${inUse ? '  (in use)' : ''}`
      return `${[head, ...entries.map((entry) => `  ${entryLine(entry)}`)].join('\n')}\n`
    })
    .join('')
}

export function clearedText(removed: number, bytes: number, kept: number): string {
  const rest = kept === 0 ? '' : `; kept ${kept} that are in use or cannot be removed`
  return `removed ${removed} ${removed === 1 ? 'session' : 'sessions'} (${sizeText(bytes)})${rest}\n`
}

export function unknownEntry(name: string): string {
  return `Nothing is saved under ${JSON.stringify(name)}. "vitrine scratchpad list" lists the saved outputs; SESSION/NAME selects one of several.`
}

export const scratchpadUsage =
  'Choose one: vitrine scratchpad list [--json], vitrine scratchpad show NAME, or vitrine scratchpad clear.'

export function unreadableOutputs(path: string): string {
  return `${visible(path)} cannot be read: it belongs to another user, as after sudo, or lacks your permissions. Change its owner or mode, or remove it.`
}
