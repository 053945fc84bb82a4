import type { Environment } from '../../base/types.ts'
import { isDangerousVariable } from '../command/variables.ts'
import { fileRules } from '../presets/files.ts'
import { gitRules } from '../presets/git.ts'
import { once } from '../presets/once.ts'
import { textRules } from '../presets/text.ts'
import { toolRules } from '../presets/tools.ts'
import { knownValue, type ParsedLine, type SimpleCommand, type Word } from '../syntax/line.ts'

/** The value of a variable at the beginning of a line, empty where it is unset; undefined: not certain. */
export type VariableValue = (name: string) => string | undefined

const QUOTED_VARIABLE = /^"\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})"$/

/** What sh, bash, dash, mksh or zsh sets by itself, and what the launcher adds. */
const shellsOwn = once(
  () =>
    new RegExp(
      `^(?:${[
        '_|[A-Z]*ID|COLUMNS|LINES|TERM|SHLVL|REPLY|S?RANDOM|SECONDS|LINENO|ERRNO|FUNCNAME|GROUPS|DIRSTACK|PIPESTATUS',
        'MAPFILE|COPROC|ARGC|argv|status|pipestatus|prompt|histchars|signals|USER|USERNAME|LOGNAME|CPUTYPE|VENDOR|PGRP|ATTY',
        'PATHSEP|FIGNORE|FUNCNEST|LISTMAX|PSVAR|SAVEHIST|SPROMPT|TIMEFMT|TMPPREFIX|WORDCHARS|(?:READ)?NULLCMD|R?PROMPT\\w*',
        '(?:COMP|KEY|MODULE_|READLINE|HIST|MAIL|OPT|OS|HOST|MACH|EPOCH|KSH|ZSH|PS\\d|TRY|TTY|VITRINE)\\w*',
      ].join('|')})$`,
    ),
)

/** Commands that assign no variable of their shell, whatever their arguments are. */
const assigningNothing = once(
  (): ReadonlySet<string | undefined> =>
    new Set([
      ...[...textRules, ...fileRules, ...gitRules, ...toolRules].map(({ prefix }) => prefix[0]),
      ...['cd', 'echo', 'pwd', 'true', 'false', ':', 'time', 'timeout', 'nice', 'env', 'xargs'],
    ]),
)

/**
 * The line with the value of each argument that is exactly `"$NAME"`, where that is certain: the reading is certain, every command
 * is one that assigns nothing, and no assignment or loop names the variable but one at the beginning of the line.
 * @param text the line as written
 */
export function withValues(
  text: string,
  line: ParsedLine,
  variableValue: VariableValue | undefined,
): ParsedLine {
  const { commands, unsure, features, forkBombs } = line
  if (!variableValue || unsure.length > 0 || !commands.some(hasVariable) || !commands.every(assignsNothing))
    return line
  const first = assignedFirst(text, commands)
  const later = commands.slice(first.length).flatMap(({ assignments }) => assignments)
  const assigned = new Set(later.map(({ name }) => name))
  const values = new Map(
    first.flatMap(({ assignments }) => assignments).map(({ name, value }) => [name, value.value]),
  )
  const fill = (word: Word): Word => {
    const [, plain, braced] = QUOTED_VARIABLE.exec(word.text) ?? []
    const name = plain ?? braced
    if (name === undefined || assigned.has(name) || isDangerousVariable(name) || shellsOwn().test(name))
      return word
    const value = values.get(name) ?? variableValue(name)
    return value === undefined ? word : { text: word.text, value, kind: 'literal', fixed: value }
  }
  const filled = commands.map((command) => ({ ...command, words: command.words.map(fill) }))
  return { commands: filled, unsure, features, forkBombs }
}

function hasVariable({ words }: SimpleCommand): boolean {
  return words.some(({ text }) => QUOTED_VARIABLE.test(text))
}

const LITERAL = String.raw`(?:[\w@%+:,./-]|'[^'\\\p{Cc}]*'|"[\w @%+:,./-]*")*`
/** A command of assignments alone that nothing makes conditional: no group, pipe, loop or `&` around it. */
const firstAssignments = once(
  () =>
    new RegExp(
      String.raw`[ \t\n]*[A-Za-z_]\w*=${LITERAL}(?:[ \t]+[A-Za-z_]\w*=${LITERAL})*[ \t]*(?:;|&&|\n)`,
      'uy',
    ),
)

/** The commands at the beginning of the line that only assign literal values. */
function assignedFirst(text: string, commands: readonly SimpleCommand[]): readonly SimpleCommand[] {
  const first = firstAssignments()
  first.lastIndex = 0
  const other = commands.findIndex(
    ({ words, assignments, redirects }) =>
      !first.test(text) ||
      words.length + redirects.length > 0 ||
      assignments.some(({ value }) => value.kind !== 'literal'),
  )
  return other === -1 ? commands : commands.slice(0, other)
}

function assignsNothing({ words }: SimpleCommand): boolean {
  return words.length === 0 || assigningNothing().has(knownValue(words[0]))
}

/** What all environments that a command may get agree on; the variables of the command alone win. */
export function valuesIn(
  environments: Readonly<Record<string, Readonly<Record<string, string>>>>,
  own: Environment,
): VariableValue {
  return (name) => {
    const inherited = Object.values(environments).map(
      (environment) => (Object.hasOwn(environment, name) && environment[name]) || '',
    )
    const [value, ...others] = new Set(Object.hasOwn(own, name) ? [own[name] ?? ''] : inherited)
    // Other characters may reach the program changed.
    const isCertain = value !== undefined && others.length === 0 && /^[^\p{Cc}\p{Cs}]{0,1000}$/u.test(value)
    return isCertain ? value : undefined
  }
}
