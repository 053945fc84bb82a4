import { type Arguments, firstBad, hasOption, type Objection } from '../command/arguments.ts'
import { changesReading, isDangerousVariable, isHarmlessSetting, mayNamePlace } from '../command/variables.ts'
import { knownValue, maySplit, type Word } from '../syntax/line.ts'

const FORMAT = /^(?!-)(?:[^%]|%[-+ #0]*\d*(?:\.\d*)?[diouxXeEfFgGaAcsbq%])*$/

/** printf: `-v` and `%n` set variables; in bash the name may hold a subscript that runs code. */
export function checkPrintf({ words }: Arguments): Objection | undefined {
  const [format] = words[0]?.value === '--' ? words.slice(1) : words
  const text = knownValue(format)
  if (!format) return { kind: 'missing', part: 'format' }
  if (text === undefined) return { kind: 'open-word', text: format.text }
  return FORMAT.test(text) ? undefined : { kind: 'form', text }
}

const UNARY = /^-[abcdefghkprstuwxzLNOSGn]$/
const BINARY = /^(?:=|==|!=|<|>|-eq|-ne|-lt|-le|-gt|-ge|-nt|-ot|-ef)$/
const JOIN = /^-[ao]$/
/** The check takes quadratic time, and a deep stack. */
const maxConditionWords = 100

/** test and `[`: bash evaluates subscripts for `-v` and `-R`, so possible operators must be known. */
export function checkTest({ words }: Arguments): Objection | undefined {
  const inner = words.at(-1)?.value === ']' ? words.slice(0, -1) : words
  if (inner.length > maxConditionWords) return { kind: 'form', text: inner[0]?.text ?? '' }
  const open = inner.find(maySplit)
  if (open) return { kind: 'open-word', text: open.text }
  return isCondition(inner) ? undefined : { kind: 'form', text: inner.map(({ text }) => text).join(' ') }
}

function isCondition(words: readonly Word[]): boolean {
  const texts = words.map(knownValue)
  const [first, second] = texts
  const join = texts.findIndex((text) => text !== undefined && JOIN.test(text))
  if (words.length > 4 || (words.length === 4 && first !== '!'))
    return (
      join > 0 &&
      words.every(({ kind }) => kind === 'literal') &&
      isCondition(words.slice(0, join)) &&
      isCondition(words.slice(join + 1))
    )
  if (words.length > 1 && first === '!' && !(words.length === 3 && BINARY.test(second ?? '')))
    return isCondition(words.slice(1))
  if (words.length === 2) return first !== undefined && UNARY.test(first)
  return words.length < 2 || (words.length === 3 && second !== undefined && BINARY.test(second))
}

const FILE_TEST = /^-[abcdefghknprstuwxzLNOSG]$/
const COMPARISON = /^(?:=|==|!=|=~|-nt|-ot|-ef)$/
const NUMBERS = /^-(?:eq|ne|lt|le|gt|ge)$/

/** [[: `-v` and `-R` evaluate subscripts, and numeric comparisons evaluate names; either can run code. */
export function checkDoubleBracket({ words }: Arguments): Objection | undefined {
  const inner = words.slice(words[0]?.value === '!' ? 1 : 0, -1)
  const [first, operator = '', last] = inner.map(knownValue)
  const isNumber = (text: string | undefined) => /^-?\d+$/.test(text ?? '')
  const isClear =
    inner.length === 2
      ? FILE_TEST.test(first ?? '')
      : inner.length === 3 &&
        (COMPARISON.test(operator) || (NUMBERS.test(operator) && isNumber(first) && isNumber(last)))
  return isClear ? undefined : { kind: 'form', text: inner.map(({ text }) => text).join(' ') }
}

/** read may only set variables that influence neither programs nor the reading of the rest of the line. */
export function checkRead({ operands }: Arguments): Objection | undefined {
  return firstBad(operands, (word) => {
    const name = knownValue(word)
    return (
      name === undefined ||
      !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ||
      isDangerousVariable(name) ||
      changesReading(name)
    )
  })
}

function isSteering(name: string): boolean {
  return isDangerousVariable(name) || changesReading(name) || mayNamePlace(name)
}

/** export follows the rules of an assignment before a command: no variable that influences programs. */
export function checkExport({ operands }: Arguments): Objection | undefined {
  return firstBad(operands, (word) => {
    const [, name] = /^([A-Za-z_][A-Za-z0-9_]*)(?:=|$)/.exec(word.fixed) ?? []
    const isOpen = word.kind !== 'literal' && !word.fixed.includes('=')
    if (name === undefined || isOpen || maySplit(word)) return true
    return isSteering(name) && !isHarmlessSetting(name, knownValue(word)?.slice(name.length + 1))
  })
}

/** exit, return, break, continue, shift: at most numbers. */
export function checkNumber({ words }: Arguments): Objection | undefined {
  return firstBad(words, (word) => !/^\d+$/.test(word.value))
}

/** set: only e, f, u, x and pipefail, which do not change how the shell parses a script. */
export function checkSet({ words }: Arguments): Objection | undefined {
  return firstBad(words, (word, index) => {
    if (/^[-+][efux]*o$/.test(words[index - 1]?.value ?? '')) return word.value !== 'pipefail'
    return !/^[-+][efux]*[efuxo]$/.test(word.value)
  })
}

/** command: describes a name with `-v` or `-V`, runs it otherwise. */
export function checkCommand(given: Arguments): Objection | undefined {
  return hasOption(given, '-v', '-V') ? undefined : { kind: 'missing', part: '-v' }
}

/** date: an operand that is not a format sets the clock. */
export function checkDate({ operands }: Arguments): Objection | undefined {
  return firstBad(operands, (word) => !word.fixed.startsWith('+'))
}
