import { type Arguments, hasOption, type Objection } from '../command/arguments.ts'
import { knownValue } from '../syntax/line.ts'

const FORMATS = ['--format', '--pretty']
/** Sorting by git-for-each-ref(1)'s `signature` or `signature:grade` verifies signatures. */
const SORTED_BY_SIGNATURE = /^-?(?:version:|v:)?\*?signature/

/** `remerge` and `r` merge again, with the repository's merge drivers. */
export const shownMerges = /^(?:off|none|on|m|first-parent|1|separate|combined|c|dense-combined|cc)$/

/** Formats that verify signatures start gpg, which may create its directory. */
export function checkFormat({ options }: Arguments): Objection | undefined {
  const bad = options.find(({ name, value }) => {
    if (value && name === '--sort') return value.kind !== 'literal' || SORTED_BY_SIGNATURE.test(value.value)
    if (value && name === '--diff-merges') return !shownMerges.test(knownValue(value) ?? '')
    if (!value || !FORMATS.includes(name)) return false
    return value.kind !== 'literal' || /%G|%\(\*?signature/.test(value.value)
  })
  return bad && { kind: 'option', text: `${bad.name}=${bad.value?.text ?? ''}` }
}

/** branch and tag create what their operands name, unless an option asks for a list. */
export function checkListing(...listing: readonly string[]): (given: Arguments) => Objection | undefined {
  return (given) => {
    const [first] = given.operands
    if (first && !hasOption(given, ...listing)) return { kind: 'operand', text: first.text }
    return checkFormat(given)
  }
}

const CONFIG_KEY = /^[A-Za-z][\w-]*\..+$/

/** config: a reading action or a single key; a key with a value writes, `edit` starts an editor. */
export function checkConfig(given: Arguments): Objection | undefined {
  const [action] = given.operands.map(knownValue)
  // git before 2.46 takes these words for keys, and refuses them.
  if (action === 'list' && given.operands.length === 1) return undefined
  const [key, ...values] = action === 'get' ? given.operands.slice(1) : given.operands
  const isOneKey = values.length === 0 && CONFIG_KEY.test(knownValue(key) ?? '')
  return isOneKey || hasOption(given, '--get', '--get-all', '--get-regexp', '--get-urlmatch', '--list', '-l')
    ? undefined
    : { kind: 'missing', part: '--get' }
}

/** reflog: only HEAD and show list; other subcommands may delete. */
export function checkReflog(given: Arguments): Objection | undefined {
  const first = knownValue(given.operands[0])
  if (given.operands.length === 0 || (first !== undefined && /^(?:show|HEAD(?:@\{.*\})?)$/.test(first)))
    return checkFormat(given)
  return { kind: 'operand', text: given.operands[0]?.text ?? '' }
}
