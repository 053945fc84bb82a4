import { posix } from 'node:path'
import { known, type SimpleCommand, type Word } from '../line.ts'
import { nameOf } from '../program.ts'

/** What the built-in deny list refuses. */
export type Disaster =
  | 'removes-root'
  | 'removes-home'
  | 'makes-filesystem'
  | 'overwrites-device'
  | 'changes-own-rules'

const ROOT = /^\/[/.]*\*?$/
const HOME = /^(?:~|\$HOME|\$\{HOME(?:[:?#%-][^}]*)?\})(?:[/.]*\*?|\/+\.\*)$/

/** Whether a command is on the deny list of every preset. `resolve` says where a path leads. */
export function disasterOf(
  command: SimpleCommand,
  home: string,
  resolve: (word: Word) => readonly string[],
): Disaster | undefined {
  const name = nameOf(known(command.words[0]) ?? '')
  const words = command.words.slice(1)
  if (name === 'rm') return removal(words, home, resolve)
  if (name.startsWith('mkfs')) return 'makes-filesystem'
  if (name === 'dd' && words.some((word) => word.value.startsWith('of=') && resolve(word).some(isDevice)))
    return 'overwrites-device'
  if (changesRules(command.words)) return 'changes-own-rules'
  return undefined
}

/** Whether rm is told to go into directories. */
export function removesTrees(words: readonly Word[]): boolean {
  return words.some(({ value }) => /^-[A-Za-z]*[rR]/.test(value) || /^--r[a-z]*$/.test(value))
}

function removal(
  words: readonly Word[],
  home: string,
  resolve: (word: Word) => readonly string[],
): Disaster | undefined {
  if (!removesTrees(words)) return undefined
  for (const word of words) {
    if (word.value.startsWith('-')) continue
    const unquoted = word.kind !== 'literal'
    const paths = resolve(word).map((path) => path.replace(/\/+\**$/, '') || '/')
    if (ROOT.test(word.value) || paths.includes('/')) return 'removes-root'
    if ((unquoted && HOME.test(word.text.replaceAll('"', ''))) || (home !== '' && paths.includes(home)))
      return 'removes-home'
  }
  return undefined
}

// null(4), zero(4), full(4), tty(4), and the descriptors of the process: writing to them overwrites nothing.
const HARMLESS_DEVICE = /^\/dev\/(?:null|zero|full|tty|stdout|stderr|fd\/\d+|shm\/.+)$/

function isDevice(path: string): boolean {
  const plain = posix.normalize(path)
  return plain.startsWith('/dev/') && !HARMLESS_DEVICE.test(plain)
}

/** `vitrine config trust`, also behind npx or node, and with options between. */
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
