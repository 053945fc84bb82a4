import type { IgnoredValue } from '../config/load.ts'
import type { InitOutcome } from '../config/show.ts'
import type { ConfigProblem, Refusal } from '../errors.ts'

type ConfigRefusal = Extract<Refusal, { code: 'CONFIG_INVALID' }>

/** Says where a config value or file is wrong, what is wrong, and what to do. */
export function describeConfigProblem(refusal: ConfigRefusal): string {
  const { file, line, column, key, problem, excerpt } = refusal
  const place = [visible(file), line, column].filter((part) => part !== undefined).join(':')
  const subject = key === undefined ? place : `${place}: ${visible(key)}`
  const said = `${subject}: ${whatIsWrong(problem)}`
  return [said, ...(excerpt === undefined ? [] : [excerpt]), whatToDo(refusal)].join('\n')
}

/** One line for a value of a project file that does not count; `text` and `inForce` are spelled as in TOML. */
export function describeIgnored({ key, file, line, why, text, inForceText }: IgnoredValue): string {
  const place = `${visible(file)}:${line}: ${key}`
  switch (why) {
    case 'loosens':
      return `${place} = ${text} is ignored: a project file may tighten, not loosen, ${inForceText}; "vitrine config trust" trusts this file`
    case 'needs-trust':
      return `${place}: ${text} is ignored: a project file that is not trusted may not set it; "vitrine config trust" trusts this file`
    case 'user-only':
      return `${place} = ${text} is ignored: only the user's own config, a variable or a flag may set it`
  }
}

/** Says what became of `vitrine config init`. */
export function describeInit(outcome: InitOutcome): string {
  switch (outcome.kind) {
    case 'written':
      return `${visible(outcome.file)}: written; every key stands there with its default`
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
