import { closeSync } from 'node:fs'
import { errorReason } from '../base/errno.ts'
import { decode } from '../base/text.ts'
import type { Encoding, Result } from '../base/types.ts'
import type { Scratchpad } from '../scratchpad/scratchpad.ts'
import type { Collected } from './collect.ts'

export interface Saved {
  readonly scratchpad?: NonNullable<Result['scratchpad']>
  readonly unsaved?: NonNullable<Collected['unsaved']>
  readonly notSaved?: NonNullable<Collected['notSaved']>
}

/** Saves output if a name was given, it is too long to show, or it is not text but text is expected. */
export function saveOutput(
  scratchpad: Scratchpad,
  collected: Collected,
  name: string | undefined,
  shown: { readonly inlineChars: number; readonly encoding: Encoding },
): Saved {
  const { spilled, unsaved, whole, notSaved } = collected
  if (spilled) {
    closeSync(spilled.file.fd)
    if (unsaved && spilled.bytes === 0) {
      scratchpad.discard(spilled.file)
      return { unsaved }
    }
    const { name, path } = spilled.file
    return { scratchpad: { name, path, bytes: spilled.bytes }, ...(unsaved && { unsaved }) }
  }
  if (notSaved !== undefined) return { notSaved }
  if (!whole) return {}
  return name === undefined && isInline(whole, collected, shown) ? {} : saveWhole(scratchpad, name, whole)
}

function isInline(
  whole: Buffer,
  { wellFormed }: Collected,
  { inlineChars, encoding }: { readonly inlineChars: number; readonly encoding: Encoding },
): boolean {
  if (encoding === 'buffer') return whole.length <= inlineChars
  return wellFormed && decode(whole).length <= inlineChars
}

/** The command has already run, so if the disk is full its output goes inline, whole. */
function saveWhole(scratchpad: Scratchpad, name: string | undefined, bytes: Buffer): Saved {
  try {
    const file = scratchpad.save(name, bytes)
    return { scratchpad: { name: file.name, path: file.path, bytes: bytes.length } }
  } catch (error) {
    const reason = errorReason(error)
    return { unsaved: { bytes, reason } }
  }
}
