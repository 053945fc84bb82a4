/** gitformat-index(5): the mode of a gitlink, in the byte order of the file. */
const GITLINK = 0xe000
/** Its rarer half: a search stops at each first byte, and an index is full of zeros. */
const GITLINK_END = Buffer.from([0xe0, 0x00])
const headerBytes = 12
/** The length of an entry before its object name. */
const statBytes = 40
const modeAt = 24
const extendedFlag = 0x4000
/** The length field holds at most this; a name this long or longer ends at its NUL. */
const lengthMask = 0xfff

/** Of SHA-1 and SHA-256. The index does not record which it has, so both are tried. */
const objectNameBytes = [20, 32]

/** As far as the index can be read. */
export function gitlinksIn(index: Buffer): readonly string[] {
  // Most repositories have none, and this search costs far less than a walk.
  if (!mayHaveGitlinks(index)) return []
  return [...new Set(objectNameBytes.flatMap((nameBytes) => [...linksIn(index, nameBytes)]))]
}

const maxShared = 20

/**
 * The files beside it that may hold more of its entries (gitformat-index(5), "Split index"): the extension `link` has the hash in
 * the name. Too many rather than too few, since the text of the extension may be part of anything.
 */
export function sharedIndexesOf(index: Buffer): readonly string[] {
  const names: string[] = []
  for (let at = index.indexOf('link'); at !== -1; at = index.indexOf('link', at + 1)) {
    const from = at + 8
    const fits = from <= index.length && index.readUInt32BE(at + 4) <= index.length - from
    const hashes = fits ? objectNameBytes.map((bytes) => index.toString('hex', from, from + bytes)) : []
    names.push(...hashes.map((hash) => `sharedindex.${hash}`))
  }
  return [...new Set(names)].slice(0, maxShared)
}

function mayHaveGitlinks(index: Buffer): boolean {
  for (let at = index.indexOf(GITLINK_END); at !== -1; at = index.indexOf(GITLINK_END, at + 1))
    if (at >= 2 && index.readUInt16BE(at - 2) === 0) return true
  return false
}

function* linksIn(index: Buffer, nameBytes: number): Generator<string> {
  if (index.length < headerBytes || index.toString('latin1', 0, 4) !== 'DIRC') return
  const version = index.readUInt32BE(4)
  let path: Buffer = Buffer.alloc(0)
  let at = headerBytes
  for (let left = index.readUInt32BE(8); left > 0; left--) {
    const entry = entryAt(index, at, { version, nameBytes, before: path })
    if (!entry) return
    path = entry.path
    if (index.readUInt32BE(at + modeAt) === GITLINK) yield path.toString('utf8').split('\0', 1)[0] ?? ''
    at = entry.next
  }
}

interface Layout {
  readonly version: number
  readonly nameBytes: number
  /** The path of the previous entry: version 4 omits the common prefix. */
  readonly before: Buffer
}

function entryAt(index: Buffer, at: number, { version, nameBytes, before }: Layout) {
  const flagsAt = at + statBytes + nameBytes
  if (flagsAt + 2 > index.length) return undefined
  const flags = index.readUInt16BE(flagsAt)
  const nameAt = flagsAt + (version >= 3 && flags & extendedFlag ? 4 : 2)
  const stripped = version === 4 ? offsetAt(index, nameAt) : { value: before.length, next: nameAt }
  if (stripped.value > before.length) return undefined
  const shared = before.subarray(0, before.length - stripped.value)
  const length = flags & lengthMask
  const end = length === lengthMask ? index.indexOf(0, stripped.next) : stripped.next + length - shared.length
  if (end < stripped.next || end >= index.length) return undefined
  const path = Buffer.concat([shared, index.subarray(stripped.next, end)])
  // Up to version 3, entries are padded with at least one NUL to a multiple of eight bytes.
  const next = version === 4 ? end + 1 : at + ((end - at + 8) & ~7)
  return { path, next }
}

/** A number as in git's varint.c. Bytes past the end of the file read as 0, which ends the loop. */
function offsetAt(index: Buffer, from: number): { readonly value: number; readonly next: number } {
  let at = from
  let byte = index[at++] ?? 0
  let value = byte & 0x7f
  while (byte & 0x80 && value < index.length) {
    byte = index[at++] ?? 0
    value = (value + 1) * 128 + (byte & 0x7f)
  }
  return { value, next: at }
}
