import { quoted, sizeText } from '../../base/text.ts'
import type { Result } from '../../base/types.ts'
import { visible as written } from '../../base/visible.ts'
import type { IgnoredValue } from '../../config/report.ts'
import type { ConfigRow } from '../../config/show.ts'
import { describeIgnoredValues } from '../config.ts'
import { denialLines, denialsBeside } from '../denials.ts'
import { limitAdvice, limitReached } from '../limits.ts'

/** A message of ours, as it stands on stderr: each of its lines is marked, so that nothing passes for the command's. */
export function prefixed(message: string): string {
  return onTerminal(message).replace(/^/gm, 'vitrine: ').concat('\n')
}

/** What others wrote stands in it, and must not steer the terminal. A tab is none of that. */
function onTerminal(message: string): string {
  return message
    .split(/([\n\t])/)
    .map((part) => (part === '\n' || part === '\t' ? part : written(part)))
    .join('')
}

export function unknownOption(name: string, nearest: string | undefined): string {
  return `"${visible(name)}" is no option${meant(nearest)} "vitrine --help" shows what there is.`
}

/** @param args what stands behind it: it may be a command to run */
export function unknownCommand(name: string, args: readonly string[], nearest: string | undefined): string {
  const line = ['vitrine', 'run', '--', name, ...args].map(quoted).join(' ')
  const guesses = [
    ...(nearest === undefined ? [] : [`"vitrine ${nearest}"`]),
    ...(args.includes('--') ? [] : [`\`${visible(line)}\``]),
  ]
  const said = `"${visible(name)}" is no command of vitrine`
  return guesses.length > 0
    ? `${said}; did you mean ${guesses.join(' or ')}?`
    : `${said}: see "vitrine help".`
}

export function noSuchHelp(name: string, nearest: string | undefined): string {
  return `There is no help on "${visible(name)}"${meant(nearest)} "vitrine help" lists the commands.`
}

export const keepGoingAlone = '--keep-going goes on behind a line of --each that fails, so it needs --each.'

export function onlyFull(option: string): string {
  return `${option} takes no value but "full": ${option}=full.`
}

/** @param asked milliseconds of --timeout, above the maximum */
export function timeoutLowered(asked: number, most: number): string {
  return `--timeout ${asked} ms is over the maximum: ${most} ms ([shell] max_timeout_ms) are used.`
}

export function flagWithValue(option: string): string {
  return `${option} takes no value.`
}

/** @param takers the commands that it is an option of */
export function optionElsewhere(option: string, takers: readonly string[]): string {
  const named = takers.map((taker) => `"${taker}"`)
  const last = named.pop() ?? ''
  const all = named.length === 0 ? last : `${named.join(', ')} and ${last}`
  return `${option} would change nothing here: it is an option of ${all}.`
}

export function unknownBackend(name: string): string {
  return `--backend is local (this machine) or docker (a container), not "${visible(name)}".`
}

/** @param given what stands behind --env */
export function variableUnnamed(given: string): string {
  return `--env takes NAME or NAME=VALUE, not "${visible(given)}".`
}

export function valueMissing(option: string): string {
  return `${option} needs a value.`
}

/** @param option what asks for something else than a terminal to look at */
export function ptyAlone(option: string): string {
  return `--pty shows one command in your terminal, so it does not go together with ${option}.`
}

export const ptyWithoutTerminal =
  '--pty needs a terminal: standard input and standard output are not both one. Without --pty the command gets pipes.'

export const rawUnavailable =
  '--pty needs the program stty (coreutils, busybox) to set your terminal up and to give it back as it was: it cannot be run, or it failed.'

/** @param command the command of vitrine that wants one */
export function commandMissing(command: string): string {
  return `The command is missing; it stands after "--": \`vitrine ${command} -- ls -la\`.`
}

/** @param line the words of the line with `--` where it belongs */
export function dashesMissing(line: readonly string[]): string {
  return `The command has to stand after "--": \`${visible(line.map(quoted).join(' '))}\`.`
}

/** @param command what shows its help */
export function tooManyWords(word: string, command: string): string {
  return `"${visible(word)}" is one word too many: see "vitrine ${command} --help".`
}

export function subcommandMissing(command: string, names: readonly string[]): string {
  return `"vitrine ${command}" needs one of ${names.join(', ')}.`
}

export function unknownSubcommand(
  command: string,
  name: string,
  names: readonly string[],
  nearest: string | undefined,
): string {
  return `"vitrine ${command}" has no "${visible(name)}"${meant(nearest)} It has ${names.join(', ')}.`
}

/** @param looked where a project file could have been */
export function projectFileMissing(looked: readonly string[]): string {
  return `There is no project file to trust: looked for ${looked.map(visible).join(', ')}.`
}

export function notAProjectFile(file: string, name: string): string {
  return `${visible(file)} is no project file: only a file named ${name} counts.`
}

/** The table of `vitrine config show`. */
export function configTable(rows: readonly ConfigRow[]): string {
  const keyWidth = Math.max(...rows.map(({ key }) => key.length))
  const valueWidth = Math.min(widestValue, Math.max(...rows.map(({ text }) => text.length)))
  return rows
    .map(({ key, text, source, where }) => {
      const from = where === '' ? source : `${source}: ${visible(where)}`
      return `${key.padEnd(keyWidth)}  ${text.padEnd(valueWidth)}  ${from}\n`
    })
    .join('')
}

const widestValue = 40

/** What `vitrine config trust` has done: the files, the values that count from now on, and those that still do not. */
export function trustedText(
  files: readonly string[],
  counting: readonly IgnoredValue[],
  ignored: readonly IgnoredValue[],
): string {
  const lines = [
    ...files.map((file) => `${visible(file)}: trusted as it is now; a change of the file ends that`),
    ...counting.map(({ key, text }) => `now counts: ${key} = ${text}`),
    ...ignoredLines(ignored),
  ]
  return lines.map((line) => `${line}\n`).join('')
}

/** @param stack where a mistake of ours showed */
export function internalError(stack: string): string {
  return `This is a mistake in vitrine itself; please report it.\n${stack}`
}

export function outputLost(errno: string): string {
  return `The output could not be written (${errno}), so the command was ended.`
}

/** Lines for values of project files that do not count. */
export function ignoredLines(ignored: readonly IgnoredValue[]): readonly string[] {
  return describeIgnoredValues(ignored)
}

/** What there is to say about a command that has ended, beside its own output. */
export function afterLines(result: Result): readonly string[] {
  const { background, hint, scratchpad } = result
  const lines = outcomeLine(result)
  if (background)
    lines.push(
      `${counted(background.count, 'background process of the command lives on', 'background processes of the command live on')} in group ${background.group}; to end them: kill -- -${background.group}`,
    )
  if (scratchpad) lines.push(`the whole output (${sizeText(scratchpad.bytes)}) is in ${scratchpad.path}`)
  lines.push(...denialLines(denialsBeside(result)))
  if (hint !== undefined) lines.push(hint)
  return lines
}

function outcomeLine({ outcome }: Result): string[] {
  if (outcome.kind === 'timed-out') return [`timed out after ${outcome.afterMs} ms; the command was killed`]
  if (outcome.kind === 'output-limit')
    return [`the command was killed at its output limit: ${outcome.limit} bytes ([output] max_bytes)`]
  if (outcome.kind === 'limited')
    return [`the command was killed: ${limitReached(outcome)}`, limitAdvice(outcome.limit).advice]
  return []
}

/** The line that a terminal shows while a command runs. */
export function runningLine(ms: number, bytes: number): string {
  return `vitrine: running for ${Math.round(ms / 1000)} s, ${sizeText(bytes)} of output`
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`
}

function meant(nearest: string | undefined): string {
  return nearest === undefined ? '.' : `; did you mean "${nearest}"?`
}

// What the caller wrote goes to a terminal: no escape sequence of his does.
function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\u{fffd}')
}
