import { closeSync } from 'node:fs'
import { errorCode } from '../errno.ts'
import type { Collected } from '../output/collect.ts'
import type { Result } from '../result/result.ts'
import { decode } from '../text.ts'
import type { Scratchpad } from './scratchpad.ts'

/** Where output was saved, and what of it could not be. */
export interface Saved {
  readonly scratchpad?: NonNullable<Result['scratchpad']>
  readonly unsaved?: NonNullable<Collected['unsaved']>
}

/** Saves output that was asked for by name, is too long to show, or is not text. */
export function saveOutput(
  scratchpad: Scratchpad,
  collected: Collected,
  name: string | undefined,
  inlineChars: number,
): Saved {
  const { spilled, unsaved, whole } = collected
  if (spilled) {
    closeSync(spilled.file.fd)
    const { name, path } = spilled.file
    return { scratchpad: { name, path, bytes: spilled.bytes }, ...(unsaved && { unsaved }) }
  }
  if (unsaved) return { unsaved }
  if (!whole) return {}
  const inline = collected.wellFormed && decode(whole).length <= inlineChars
  return name === undefined && inline ? {} : saveWhole(scratchpad, name, whole)
}

/** The command has run: a full disk is no reason to lose its output, which then goes inline, whole. */
function saveWhole(scratchpad: Scratchpad, name: string | undefined, bytes: Buffer): Saved {
  try {
    const file = scratchpad.save(name, bytes)
    return { scratchpad: { name: file.name, path: file.path, bytes: bytes.length } }
  } catch (error) {
    const reason = errorCode(error) ?? String(error)
    return { unsaved: { bytes, reason } }
  }
}
