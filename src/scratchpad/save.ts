import { closeSync } from 'node:fs'
import type { Collected } from '../output/collect.ts'
import { decode } from '../output/decode.ts'
import type { Result } from '../result/result.ts'
import type { Scratchpad } from './scratchpad.ts'

/** Saves output that was asked for by name, is too long to show, or is not text. Says where it stands. */
export function saveOutput(
  scratchpad: Scratchpad,
  collected: Collected,
  name: string | undefined,
  inlineChars: number,
): Result['scratchpad'] | undefined {
  if (collected.spilled) {
    closeSync(collected.spilled.file.fd)
    const { name, path } = collected.spilled.file
    return { name, path, bytes: collected.spilled.bytes }
  }
  const { whole } = collected
  if (!whole) return undefined
  const inline = collected.wellFormed && decode(whole).length <= inlineChars
  if (name === undefined && inline) return undefined
  const file = scratchpad.save(name, whole)
  return { name: file.name, path: file.path, bytes: whole.length }
}
