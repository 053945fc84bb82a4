import { type Arguments, firstBad, type Objection } from '../command/arguments.ts'
import { knownValue, type Word } from '../syntax/line.ts'

function object(word: Word): Objection {
  return { kind: 'operand', text: word.text }
}

function mayBeOption({ kind, fixed }: Word): boolean {
  return kind === 'open' || kind === 'brace' || (kind !== 'tilde' && /^(?:[-+]|$)/.test(fixed))
}

const LISTING = /^-?[vzjJ]*t[vzjJ]*f$/

/** tar: `tzf FILE` only. Options (`--to-command`) may follow, a colon names a host, no `f` means TAPE. */
export function checkTar({ words: [form, archive, ...members] }: Arguments): Objection | undefined {
  if (!form || !archive || !LISTING.test(knownValue(form) ?? ''))
    return form ? { kind: 'form', text: form.text } : { kind: 'missing', part: 'form' }
  if (archive.kind !== 'literal' || archive.value.includes(':')) return object(archive)
  return firstBad([archive, ...members], (word) => mayBeOption(word) && word.value !== '-')
}

/** Words that name files: the archive in the form `checkTar` allows, otherwise all. */
export function pathsOfTar(words: readonly Word[]): readonly Word[] {
  return LISTING.test(knownValue(words[0]) ?? '') ? words.slice(1, 2) : words
}

const UNZIP = /^-[lvptqZ12]*[lvptZ][lvptqZ12]*$/

/** unzip: only forms that list, test or print; no later word may be an option. */
export function checkUnzip({ words: [form, ...others] }: Arguments): Objection | undefined {
  if (!form || !UNZIP.test(knownValue(form) ?? '')) return { kind: 'form', text: form?.text ?? 'unzip' }
  return firstBad(others, mayBeOption)
}

export function pathsOfUnzip(words: readonly Word[]): readonly Word[] {
  return UNZIP.test(knownValue(words[0]) ?? '') ? words.slice(1, 2) : words
}

const LSOF_FLAGS = /^-[anPltUwRNV]+$/
const LSOF_ADDRESS = /^(?:[46]?(?:tcp|udp)?(?::[\w,-]+)?)$/i
const LSOF_VALUED = /^(?:-[pucsdgF]|\+[dDc])$/
const LSOF_ATTACHED = /^(?:-[pucsdgF]|\+[dD])[\w:,^/.-]+$/

/** lsof: -D writes a cache, -r never ends, `-i @HOST` sends any name to name servers. */
export function checkLsof({ words }: Arguments): Objection | undefined {
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as Word
    const [, address] = /^-[anPltUwRN]*i(.*)$/.exec(knownValue(word) ?? '') ?? []
    if (address !== undefined) {
      const next = words[at + 1]
      // lsof takes the next word as the address unless it is an option.
      const isAddress = next && address === '' && !/^[-+]/.test(next.fixed)
      if (!LSOF_ADDRESS.test(isAddress ? (knownValue(next) ?? '@') : address)) return object(word)
    } else if (LSOF_VALUED.test(knownValue(word) ?? '')) {
      const value = words[++at]
      if (value?.kind !== 'literal' || mayBeOption(value)) return object(word)
    } else if (
      mayBeOption(word) &&
      !LSOF_FLAGS.test(knownValue(word) ?? '') &&
      !LSOF_ATTACHED.test(knownValue(word) ?? '')
    )
      return object(word)
  }
  return undefined
}

const SS_FILTER =
  /^(?:state|exclude|established|syn-sent|syn-recv|fin-wait-[12]|time-wait|closed?|close-wait|last-ack|listen(?:ing)?|closing|all|connected|synchronized|sport|dport|=|==|!=|eq|ne|and|or|not|[()]|:\d+|\d+)$/

/** ss: only filter words for ports and states; a host name would cause a DNS lookup. */
export function checkSs({ operands }: Arguments): Objection | undefined {
  return firstBad(operands, (word) => !SS_FILTER.test(knownValue(word) ?? ''))
}

/** man: only page names; a name with a slash is a file. */
export function checkMan({ operands }: Arguments): Objection | undefined {
  return firstBad(operands, (word) => !/^[\w[][\w.+:@[-]*$/.test(knownValue(word) ?? ''))
}

const CAPABILITY =
  /^(?:cols|lines|colors|bold|dim|sgr0|rev|smul|rmul|smso|rmso|sitm|ritm|setaf|setab|op|el1?|ed|clear|civis|cnorm|cup|sc|rc|cr|bel|longname|\d+)$/

/** tput: `init` and `reset` run the program named in the terminal's description. */
export function checkTput({ operands }: Arguments): Objection | undefined {
  return firstBad(operands, (word) => !CAPABILITY.test(knownValue(word) ?? ''))
}

/** gh: only numbers, branch names and OWNER/NAME; a URL, or a host before OWNER, names another server. */
export function checkGh({ operands, options }: Arguments): Objection | undefined {
  const repository = options.find(({ name }) => name === '-R' || name === '--repo')
  const named = repository && knownValue(repository.value)
  if (repository && !/^[\w.-]+\/[\w.-]+$/.test(named ?? '')) return { kind: 'option', text: repository.name }
  return firstBad(operands, (word) => !/^#?[\w./-]+$/.test(knownValue(word) ?? ''))
}
