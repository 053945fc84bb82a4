import { clipped, sizeText } from '../base/text.ts'
import type { ScratchpadEntry } from '../scratchpad/list.ts'

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
