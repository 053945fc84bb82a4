import { getSystemErrorMap } from 'node:util'
import type { HintReader } from '../base/hint.ts'
import type { FileFailure, FileOperation, FileProblem } from '../base/refusal.ts'
import { sizeText, visible } from '../base/text.ts'
import { denialText } from './result.ts'

const notDone: Readonly<Record<FileOperation, string>> = {
  read_file: 'could not be read',
  write_file: 'was not written',
  edit_file: 'was not edited',
  list_files: 'could not be listed',
  glob_files: 'could not be searched',
  grep_files: 'could not be searched',
}

/** Why an operation on files did nothing, and what to do. For a tool refusals get lines of their own, as in a command's answer. */
export function describeFileFailure(failure: FileFailure, reader: HintReader): string {
  const { operation, path, problem, denials, mode, hint } = failure
  const said = `${visible(path)} ${notDone[operation]}: ${describeProblem(problem, failure, reader)}`
  const isUser = reader === 'user'
  const refused = isUser
    ? []
    : denials.slice(0, 3).map((denial) => `\n[blocked in ${mode} mode: ${denialText(denial)}]`)
  const how = hint === undefined ? '' : isUser ? ` ${hint}` : `\n[${hint}]`
  return `${said}${refused.join('')}${how}`
}

function describeProblem(problem: FileProblem, { operation }: FileFailure, reader: HintReader): string {
  switch (problem.kind) {
    case 'failed': {
      const [, words] = [...getSystemErrorMap().values()].find(([name]) => name === problem.errno) ?? []
      return words === undefined ? `${visible(problem.errno)}.` : `${words} (${problem.errno}).`
    }
    case 'special':
      return 'it is no regular file but a FIFO, a socket or a device.'
    case 'binary':
      return 'it is binary. Use a command that reads it.'
    case 'too-large':
      return `it has ${sizeText(problem.bytes)}, over the limit of ${sizeText(problem.limit)}. Use a command, such as ${operation === 'read_file' ? 'tail' : 'sed'}.`
    case 'encoding':
      return `the new text has a character that the file's encoding (${problem.encoding}) lacks.`
    case 'no-match':
      return `the old text is not in it.${nearestText(problem.nearest)}`
    case 'matches':
      return `the old text is in it ${problem.count} times, at lines ${problem.lines.join(', ')}${problem.count > problem.lines.length ? ', ...' : ''}. Give more of what stands around the one that is meant, or replace all (${reader === 'user' ? 'all: true' : 'replace_all'}).`
    case 'changed':
      return 'another program changed it meanwhile. Read it again.'
    case 'pattern':
      return `the pattern is no extended regular expression (${visible(problem.said)}).`
    case 'ended':
      return problem.outcome.kind === 'timed-out'
        ? `it took more than ${problem.outcome.afterMs} ms.`
        : 'it was ended before its end.'
  }
}

const longestLine = 500

function nearestText(nearest: Extract<FileProblem, { kind: 'no-match' }>['nearest']): string {
  if (!nearest) return ' Nothing in it is similar.'
  return ` The most similar lines:\n${numbered(nearest.lines.map(shownLine), nearest.from)}`
}

/** Tabs stay, so that the line can be copied. */
function shownLine(line: string): string {
  return line.slice(0, longestLine).split('\t').map(visible).join('\t')
}

/** Lines behind their numbers, as `cat -n` has them. */
export function numbered(lines: readonly string[], from: number): string {
  return lines.map((line, at) => `${String(from + at).padStart(6)}\t${line}`).join('\n')
}
