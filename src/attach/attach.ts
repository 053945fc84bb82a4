import { existsSync, rmdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { errorCode, errorText, tried } from '../base/errno.ts'
import { leadsTo, readText, replace } from '../base/foreign-file.ts'
import { visible } from '../base/text.ts'
import type { Environment } from '../base/types.ts'
import type { Client, Place } from './client.ts'
import { hasPiece, type Piece, withoutPiece, withPiece } from './pieces.ts'
import { type Record, recordFile, recordOf, type Written } from './record.ts'

/** Has the client's calls go through vitrine, and says what it wrote. Throws, with every file as it was, if a file cannot be edited. */
export async function attach(client: Client, place: Place): Promise<readonly string[]> {
  const known = recordOf(client.name, place.env)
  const asked = client.pieces(place).map((piece) => ({ ...piece, file: leadsTo(piece.file) }))
  const isSame = known && isDeepStrictEqual(known.asked, asked) && known.mode === place.mode
  if (isSame && known.written.every(({ file, after }) => readText(file) === after))
    return known.written.map(({ file }) => `${visible(file)}: already has it`)
  const first = await plan(asked, known)
  const files = [recordFile(client.name, place.env), ...first.map(({ file }) => file)]
  const made = known?.made ?? [...new Set(files.flatMap((file) => missingAbove(file)))]
  const record = { version: 1, mode: place.mode, managed: place.managed, asked, made } as const
  try {
    write(client.name, place.env, { ...record, written: first })
    if (!client.afterwards) return told(first)
    const all = await plan([...asked, ...(await client.afterwards(place))], { ...record, written: first })
    write(client.name, place.env, { ...record, written: all })
    return told(all)
  } catch (error) {
    // Of what is written in part nothing stays, the record included: a client that it names is attached.
    if (recordOf(client.name, place.env)) await detach(client.name, place.env)
    const said = errorCode(error) && `${errorText(error)}. Correct its permissions. Nothing was changed.`
    throw said ? new Error(said) : error
  }
}

function missingAbove(file: string): readonly string[] {
  const above = dirname(file)
  return existsSync(above) ? [] : [...missingAbove(above), above]
}

/** The new text of every file. What is recorded is taken out first. Throws before anything is written. */
async function plan(pieces: readonly Piece[], known: Record | undefined): Promise<readonly Written[]> {
  const files = [...new Set([...pieces, ...(known?.written ?? [])].map(({ file }) => file))]
  const planned: Written[] = []
  for (const file of files) {
    const own = pieces.filter((piece) => piece.file === file)
    try {
      const before = undone(file, known)
      let after = before
      for (const piece of own) after = await withPiece(after, piece)
      planned.push({ file, before: before ?? null, after: after ?? '', pieces: own })
    } catch (error) {
      throw new Error(`${visible(file)}: ${errorText(error)}. Nothing was changed.`)
    }
  }
  return planned
}

/** The record first: what was begun can be detached. */
function write(name: string, env: Environment, record: Record): void {
  const kept = record.written.filter(({ pieces }) => pieces.length > 0)
  replace(recordFile(name, env), `${JSON.stringify({ ...record, written: kept }, null, 2)}\n`)
  for (const { file, before, after, pieces } of record.written) {
    // What holds for every user has to be read by all.
    const usual = file.startsWith('/etc/') ? 0o644 : undefined
    const mode = pieces.find((piece) => piece.kind === 'file')?.mode ?? usual
    if (pieces.length === 0) put(file, before ?? undefined)
    else if (readText(file) !== after) replace(file, after, mode)
  }
}

function put(file: string, text: string | undefined): void {
  if (text === undefined) rmSync(file, { force: true })
  else if (text !== readText(file)) replace(file, text)
}

function told(written: readonly Written[]): readonly string[] {
  return written.flatMap(({ file, pieces }) => pieces.map(({ what }) => `${visible(file)}: ${what}`))
}

/** The file's text without what is recorded of it: byte for byte as it was where nothing else has changed it. */
function undone(file: string, known: Record | undefined): string | undefined {
  const text = readText(file)
  const ours = known?.written.find((each) => each.file === file)
  if (!ours || text === undefined) return text
  if (text === ours.after) return ours.before ?? undefined
  const before = ours.before ?? undefined
  return [...ours.pieces].reverse().reduce<string | undefined>((rest, piece) => {
    return rest === undefined ? undefined : withoutPiece(rest, piece, before)
  }, text)
}

/** Takes out what attaching wrote, and says what it did. Throws, with every file as it is, if one cannot be edited. */
export async function detach(name: string, env: Environment): Promise<readonly string[]> {
  const known = recordOf(name, env)
  if (!known) throw new Error(`${name} is not attached.`)
  // A client that starts meanwhile finds no settings that name a missing program.
  const rests = [...known.written].reverse().map(({ file, before, pieces }) => {
    try {
      return { file, before, pieces, rest: undone(file, known) }
    } catch (error) {
      throw new Error(`${visible(file)}: ${errorText(error)}. Nothing was changed.`)
    }
  })
  for (const { file, rest } of rests) put(file, rest)
  rmSync(recordFile(name, env))
  // Those that have something by now stay.
  for (const directory of [...known.made].reverse()) tried(() => rmdirSync(directory))
  return rests.map(({ file, before, pieces, rest }) => {
    const left = rest !== undefined && pieces.some((piece) => hasPiece(rest, piece))
    if (left) return `${visible(file)}: still has what vitrine wrote: take it out by hand`
    if (rest === undefined) return `${visible(file)}: removed`
    return `${visible(file)}: ${rest === (before ?? undefined) ? 'as it was before' : 'without it; the rest stays'}`
  })
}

/** What is wrong with an attached client: it may run commands unheld, or none. */
export function faultsOf(record: Record): readonly string[] {
  return record.written.flatMap(({ file, pieces }) => {
    try {
      const text = readText(file)
      const lost = pieces.filter((piece) => !hasPiece(text, piece))
      return lost.map(({ what }) => `${visible(file)} has no more: ${what}`)
    } catch (error) {
      return [`${visible(file)}: ${errorText(error)}`]
    }
  })
}
