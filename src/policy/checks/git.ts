import { type Arguments, has, type Objection } from '../command/arguments.ts'
import { known } from '../syntax/line.ts'

const FORMATS = ['--format', '--pretty']
/** An atom of git-for-each-ref(1), signature or signature:grade, is verified to be sorted by. */
const SORTED_BY_SIGNATURE = /^-?(?:version:|v:)?\*?signature/

/** A format that verifies signatures starts gpg, which may create its directory. */
export function checkFormat({ options }: Arguments): Objection | undefined {
  const bad = options.find(({ name, value }) => {
    if (value && name === '--sort') return value.kind !== 'literal' || SORTED_BY_SIGNATURE.test(value.value)
    if (!value || !FORMATS.includes(name)) return false
    return value.kind !== 'literal' || /%G|%\(signature/.test(value.value)
  })
  return bad && { kind: 'option', text: `${bad.name}=${bad.value?.text ?? ''}` }
}

/** branch and tag with names create them, unless they were told to list. */
export function checkListing(...listing: readonly string[]): (given: Arguments) => Objection | undefined {
  return (given) => {
    const [first] = given.operands
    if (first && !has(given, ...listing)) return { kind: 'operand', text: first.text }
    return checkFormat(given)
  }
}

const CONFIG_KEY = /^[A-Za-z][\w-]*\..+$/

/** config: an action that reads must be named, or one key and nothing else; a key and a value are written, `edit` edits. */
export function checkConfig(given: Arguments): Objection | undefined {
  const [key, ...values] = given.operands
  const isOneKey = values.length === 0 && CONFIG_KEY.test(known(key) ?? '')
  return isOneKey || has(given, '--get', '--get-all', '--get-regexp', '--get-urlmatch', '--list', '-l')
    ? undefined
    : { kind: 'form', text: 'git config without --get or --list' }
}

/** reflog: a subcommand may delete; HEAD and show only list. */
export function checkReflog(given: Arguments): Objection | undefined {
  const first = known(given.operands[0])
  if (given.operands.length === 0 || (first !== undefined && /^(?:show|HEAD(?:@\{.*\})?)$/.test(first)))
    return checkFormat(given)
  return { kind: 'operand', text: given.operands[0]?.text ?? '' }
}
