import type { ConfigProblem, Refusal } from '../base/refusal.ts'
import type { IgnoredValue, InitOutcome } from '../config/report.ts'

const maxIgnoredLines = 10
const maxValueLength = 80
const UNTIL_TRUSTED = 'until you trust the file with "vitrine config trust"'

/** Why a file cannot be used. */
export const fileUnanswered = 'its file system does not answer'

type ConfigRefusal = Extract<Refusal, { code: 'CONFIG_INVALID' }>

/** Says where a config value or file is wrong, what is wrong, and what to do. */
export function describeConfigProblem(refusal: ConfigRefusal): string {
  const { file, line, column, key, problem, excerpt } = refusal
  const place = [visible(file), line, column].filter((part) => part !== undefined).join(':')
  const subject = key === undefined ? place : `${place}: ${visible(key)}`
  const said = `${subject}: ${whatIsWrong(problem)}`
  return [said, ...(excerpt === undefined ? [] : [excerpt]), whatToDo(refusal)].join('\n')
}

/** Lines for the values of project files that do not count; after ten it only counts the rest. */
export function describeIgnoredValues(ignored: readonly IgnoredValue[]): readonly string[] {
  const lines = ignored.slice(0, maxIgnoredLines).map(describeIgnored)
  const rest = ignored.length - lines.length
  return rest === 0 ? lines : [...lines, `and ${rest} more ignored: see "vitrine config show"`]
}

function describeIgnored({ key, file, line, why, text, inForceText }: IgnoredValue): string {
  const place = line === undefined ? visible(file) : `${visible(file)}:${line}`
  const said = `${place}: ${key} = ${clipped(text)} is ignored`
  switch (why) {
    case 'loosens':
      return `${said}: a project file may tighten ${clipped(inForceText)}, not loosen it, ${UNTIL_TRUSTED}`
    case 'needs-trust':
      return `${said}: a project file may not set it, ${UNTIL_TRUSTED}`
    case 'user-only':
      return `${said}: only your own config file, a variable or a flag may set it`
  }
}

/** Says what became of `vitrine config init`. */
export function describeInit(outcome: InitOutcome): string {
  switch (outcome.kind) {
    case 'written':
      return `${visible(outcome.file)}: written; every key stands there with its default, commented out`
    case 'exists':
      return `${visible(outcome.file)}: exists already and is left as it is`
    case 'failed':
      return `${visible(outcome.file)}: could not be written (${outcome.errno})`
  }
}

function whatIsWrong(problem: ConfigProblem): string {
  switch (problem.kind) {
    case 'syntax':
      return `not valid TOML: ${problem.detail}`
    case 'unknown-key':
      return problem.nearest === undefined ? 'unknown key' : `unknown key; did you mean ${problem.nearest}?`
    case 'wrong-type':
    case 'bad-value':
      return `wanted ${problem.wanted}, got ${problem.got}`
    case 'unreadable':
      return `cannot be used: ${problem.reason}`
  }
}

function whatToDo({ file, line, problem }: ConfigRefusal): string {
  if (problem.kind === 'unreadable')
    return 'Nothing ran. Mend or remove the file, or name another one with --config.'
  if (line === undefined) return `Nothing ran. Correct or remove ${visible(file)}.`
  if (problem.kind === 'unknown-key')
    return 'Nothing ran. Correct or remove the key; config.example.toml documents every key.'
  return 'Nothing ran. Correct the file.'
}

// A file's name may hold anything but NUL and /, escape sequences of the terminal included.
function visible(name: string): string {
  return name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\u{fffd}')
}

function clipped(text: string): string {
  return text.length <= maxValueLength ? text : `${text.slice(0, maxValueLength)}...`
}
