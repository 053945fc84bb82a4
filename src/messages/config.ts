import type { ConfigProblem, Refusal } from '../base/refusal.ts'
import { visible } from '../base/text.ts'

export const fileProblems = {
  unanswered: 'its file system does not answer',
  missing: 'it does not exist',
  directory: 'it is a directory',
  notRegular: 'it is not a regular file',
  danglingLink: 'it is a dangling symbolic link',
  damagedTrust: 'it is damaged; remove it and trust your project files again',
  tooLarge: (maxBytes: number) => `it is larger than ${maxBytes} bytes`,
  notUtf8: (line: number) => `it is not UTF-8 (line ${line})`,
  noPermission: (errno: string) => `no permission to read it (${errno})`,
  notWritable: (errno: string) => `it cannot be written (${errno})`,
} as const

type ConfigRefusal = Extract<Refusal, { code: 'CONFIG_INVALID' }>

export function describeConfigProblem(refusal: ConfigRefusal): string {
  const { file, line, column, key, problem, excerpt } = refusal
  const place = [visible(file), line, column].filter((part) => part !== undefined).join(':')
  const subject = key === undefined ? place : `${place}: ${visible(key)}`
  const said = `${subject}: ${whatIsWrong(problem)}`
  return [said, ...(excerpt === undefined ? [] : [excerpt]), whatToDo(refusal)].join('\n')
}

function whatIsWrong(problem: ConfigProblem): string {
  switch (problem.kind) {
    case 'syntax':
      return `not valid TOML: ${problem.detail}`
    case 'unknown-key':
      return problem.nearest === undefined ? 'unknown key' : `unknown key; did you mean ${problem.nearest}?`
    case 'wrong-type':
    case 'bad-value':
      return `expected ${problem.wanted}, got ${problem.got}`
    case 'unreadable':
      return `cannot be used: ${problem.reason}`
  }
}

function whatToDo({ file, line, problem }: ConfigRefusal): string {
  if (problem.kind === 'unreadable')
    return problem.reason === fileProblems.missing
      ? 'Nothing ran. Name a file that exists.'
      : 'Nothing ran. Fix or remove the file.'
  if (line === undefined) return `Nothing ran. Correct or remove ${visible(file)}.`
  if (problem.kind === 'unknown-key')
    return 'Nothing ran. Correct or remove the key; config.example.toml documents every key.'
  return 'Nothing ran. Correct the file.'
}
