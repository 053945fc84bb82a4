import { posix } from 'node:path'
import type { disasters } from '../messages/policy.ts'
import { knownValue, literalWord, type SimpleCommand, type Word } from './line.ts'
import { nameOf } from './rules.ts'

/** The source of what it denies. */
export const denyList = 'built-in deny list'

type Disaster = keyof typeof disasters

const ROOT = /^\/[/.]*(?:\*?|\{[.*,]+\}[.*]*)$/
const HOME = /^(?:~|\$HOME|\$\{HOME(?:[:?#%-][^}]*)?\})(?:[/.]*\*?|\/+\.\*|\/+\{[.*,]+\}[.*]*)$/

/** The deny list entry that a command matches, if any. `resolve` returns where a word leads. */
export function disasterOf(
  command: SimpleCommand,
  home: string,
  resolve: (word: Word) => readonly string[],
): Disaster | undefined {
  const name = nameOf(knownValue(command.words[0]) ?? '')
  const words = command.words.slice(1)
  if (name === 'rm') return removal(words, home, resolve)
  if (name === 'find' && removesAll(words)) return wholeAmong(startsOf(words), home, resolve)
  if (
    (MAKER.test(name) && !IMAGER.test(name)) ||
    (name === 'wipefs' && words.some(({ value }) => ERASING.test(value)))
  )
    return 'makes-filesystem'
  const outputs = command.redirects.flatMap(({ operator, target }) =>
    target && operator.includes('>') ? [target] : [],
  )
  if ([...outputs, ...writtenBy(name, words)].some((word) => resolve(word).some((path) => DISK.test(path))))
    return 'overwrites-device'
  if (name === 'dd' && words.some((word) => word.value.startsWith('of=') && resolve(word).some(isDevice)))
    return 'overwrites-device'
  if (changesRules(command.words)) return 'changes-own-rules'
  return undefined
}

export function removesTrees(words: readonly Word[]): boolean {
  return words.some(({ value }) => /^-[A-Za-z]*[rR]/.test(value) || /^--r[a-z]*$/.test(value))
}

function removal(
  words: readonly Word[],
  home: string,
  resolve: (word: Word) => readonly string[],
): Disaster | undefined {
  return removesTrees(words)
    ? wholeAmong(
        words.filter(({ value }) => !value.startsWith('-')),
        home,
        resolve,
      )
    : undefined
}

/** True if a word names the root or home directory, or everything in it. */
function wholeAmong(
  words: readonly Word[],
  home: string,
  resolve: (word: Word) => readonly string[],
): Disaster | undefined {
  for (const word of words) {
    const unquoted = word.kind !== 'literal'
    const paths = resolve(word).map((path) => path.replace(/(?<!\/)\/[/*]*$/, '') || '/')
    if (ROOT.test(word.value) || paths.includes('/')) return 'removes-root'
    if ((unquoted && HOME.test(word.text.replaceAll('"', ''))) || (home !== '' && paths.includes(home)))
      return 'removes-home'
  }
  return undefined
}

/** The starting points of a find expression; default: the current directory. */
function startsOf(words: readonly Word[]): readonly Word[] {
  const end = words.findIndex(({ value }) => /^(?:-(?!(?:[HLPODf]|O\d|-)$)|[!(])/.test(value))
  const starts = (end === -1 ? words : words.slice(0, end)).filter(({ value }) => !value.startsWith('-'))
  return starts.length > 0 ? starts : [literalWord('.')]
}

// find(1): tests that select some files.
const CHOOSING =
  /^-(?:i?name|i?path|i?wholename|i?regex|i?lname|[acm]?newer|newer[aBcm][aBcmt]|[acm](?:time|min)|used|size|perm|user|group|uid|gid|nouser|nogroup|empty|inum|samefile|links|fstype)$/
const REMOVER = /^(?:rm|unlink|shred|srm)$/

/** True if find removes its results unselected; after `-o` or `!` the rest may be everything. */
function removesAll(words: readonly Word[]): boolean {
  const remover = words.findIndex(
    ({ value }, index) =>
      value === '-delete' ||
      (/^-(?:exec|ok)(?:dir)?$/.test(value) && REMOVER.test(nameOf(words[index + 1]?.value ?? ''))),
  )
  const chooses = words
    .slice(0, Math.max(0, remover))
    .some(({ value }, index) => CHOOSING.test(value) && !/^\**$/.test(words[index + 1]?.value ?? '-'))
  return remover !== -1 && !(chooses && !words.some(({ value }) => /^(?:!|-not|-o|-or|,)$/.test(value)))
}

/** Write an image, which overwrites data only if it is a disk. */
const IMAGER = /^mk(?:squash|iso|initram|cram|rom)fs/
/** Overwrite existing data with a file system or swap space. */
const MAKER = /^(?:mkfs|mk\w+fs|mke2fs|mkswap|newfs|blkdiscard)/
/** wipefs(8) only lists without these. */
const ERASING = /^(?:-[A-Za-z]*[ao]|--(?:al|of))/

const writesEach = new Set(['tee', 'shred', 'truncate', 'sponge'])
const writesLast = new Set(['cp', 'mv', 'install', 'rsync', 'ddrescue'])

function writtenBy(name: string, words: readonly Word[]): readonly Word[] {
  const operands = words.filter(({ value }) => !value.startsWith('-'))
  return writesEach.has(name) || IMAGER.test(name) ? words : writesLast.has(name) ? operands.slice(-1) : []
}

/** A disk or memory device by name, including names a glob may match. */
const DISK =
  /^\/dev\/(?:r?disk\d|[hsv]d[^/]|xvd|nvme|mmcblk|loop|dm-|md\d|mapper\/|disk\/|block\/|sr\d|nbd|z?ram\d|pmem|k?mem$|port$)/

// Writing overwrites nothing: null(4), zero(4), full(4), tty(4), and the process's descriptors.
const HARMLESS_DEVICE = /^\/dev\/(?:null|zero|full|tty|stdout|stderr|fd\/\d+|shm\/.+)$/

function isDevice(path: string): boolean {
  const plain = posix.normalize(path)
  return plain.startsWith('/dev/') && !HARMLESS_DEVICE.test(plain)
}

/** Finds `vitrine config trust` and `vitrine config init`, also through npx or node and with options in between. */
function changesRules(words: readonly Word[]): boolean {
  const at = words.findIndex(({ value }) => nameOf(value) === 'vitrine')
  const given =
    at === -1
      ? []
      : words
          .slice(at + 1)
          .map(({ value }) => value)
          .filter((value) => !value.startsWith('-'))
  return given.some((value, index) => value === 'config' && /^(?:trust|init)$/.test(given[index + 1] ?? ''))
}
