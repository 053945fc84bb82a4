import { bytesText, quoted, sizeText, visible } from '../../base/text.ts'
import type { Result } from '../../base/types.ts'
import type { IgnoredValue } from '../../config/report.ts'
import type { ConfigRow } from '../../config/show.ts'
import type { Workspace } from '../../host/workspace.ts'
import { describeIgnoredValues } from '../config.ts'
import { denialLines, denialsBeside, handoffLines } from '../denials.ts'
import { limitAdvice, limitReached } from '../limits.ts'
import { narrowWildcard, suffixWildcard } from '../sandbox/network.ts'
import { leftText, processes, survivorsText } from '../sandbox/processes.ts'

/** A message on stderr: each line is marked, so that it cannot be taken for output of the command. */
export function prefixed(message: string): string {
  return onTerminal(message).replace(/^/gm, 'vitrine: ').concat('\n')
}

/** The message may quote foreign text, which must not control the terminal. Tabs and line feeds stay. */
function onTerminal(message: string): string {
  return message
    .split(/([\n\t])/)
    .map((part) => (part === '\n' || part === '\t' ? part : visible(part)))
    .join('')
}

export function unknownOption(name: string, nearest: string | undefined): string {
  return `"${visible(name)}" is not an option${meant(nearest)} "vitrine --help" lists the options.`
}

/** @param args the words after it: all of them may be a command to run */
export function unknownCommand(name: string, args: readonly string[], nearest: string | undefined): string {
  const line = ['vitrine', 'run', '--', name, ...args].map(quoted).join(' ')
  const guesses = [
    ...(nearest === undefined ? [] : [`"vitrine ${nearest}"`]),
    ...(args.includes('--') ? [] : [`\`${visible(line)}\``]),
  ]
  const said = `"${visible(name)}" is not a command of vitrine`
  return guesses.length > 0
    ? `${said}; did you mean ${guesses.join(' or ')}?`
    : `${said}: see "vitrine help".`
}

export function noSuchHelp(name: string, nearest: string | undefined): string {
  return `There is no help on "${visible(name)}"${meant(nearest)} "vitrine help" lists the commands.`
}

export function notAlone(option: string, word: string): string {
  return `${option} takes nothing after it: leave out "${visible(word)}".`
}

export const keepGoingAlone = '--keep-going needs --each: it continues after a line of the list that fails.'

export function onlyFull(option: string): string {
  return `${option} accepts only the value "full": ${option}=full.`
}

/** @param asked milliseconds of --timeout, above the maximum */
export function timeoutLowered(asked: number, most: number): string {
  return `--timeout ${asked} ms exceeds the maximum; ${most} ms ([shell] max_timeout_ms) is used.`
}

export function flagWithValue(option: string): string {
  return `${option} takes no value.`
}

/** @param takers the commands that have this option */
export function optionElsewhere(option: string, takers: readonly string[]): string {
  const named = takers.map((taker) => `"${taker}"`)
  const last = named.pop() ?? ''
  const all = named.length === 0 ? last : `${named.join(', ')} and ${last}`
  return `${option} has no effect here; it is an option of ${all}.`
}

export function unknownBackend(name: string): string {
  return `--backend must be local (this machine) or docker (a container), not "${visible(name)}".`
}

export function unknownMode(name: string): string {
  return `--mode is read, workspace or write, not "${visible(name)}".`
}

export function unknownShell(name: string): string {
  return `--shell is sh, bash or the path of a shell, not "${visible(name)}".`
}

export const twoNetworks = '--network allows every host, so --allow-host adds nothing: leave one of them out.'

export function unknownHost(host: string): string {
  return `--allow-host takes HOST, *.HOST or an address, each with :PORT or without, not "${visible(host)}".`
}

export function wideHost(host: string): string {
  return `--allow-host takes ${narrowWildcard}, not ${suffixWildcard(host)}.`
}

/** @param mode the value of --mode beside --write */
export function twoModes(mode: string): string {
  return `--write means --mode write, but --mode ${mode} is given too: leave one of them out.`
}

export function variableUnnamed(given: string): string {
  return `--env takes NAME or NAME=VALUE, not "${visible(given)}".`
}

export function valueMissing(option: string): string {
  return `${option} needs a value.`
}

export function ptyAlone(option: string): string {
  return `--pty shows one command in your terminal, so it cannot be combined with ${option}.`
}

/** @param what the option or the command */
export function needsTerminal(what: '--pty' | 'vitrine shell'): string {
  const instead =
    what === '--pty'
      ? 'Without --pty the command gets pipes.'
      : 'With another standard input the shell reads that as a script.'
  return `${what} needs a terminal as standard input and standard output. ${instead}`
}

export const rawUnavailable =
  'A terminal for the command needs the program stty (coreutils, busybox), to set up and restore yours; it is missing or failed.'

export function commandMissing(command: string): string {
  return `The command is missing. Put it after "--": \`vitrine ${command} -- ls -la\`.`
}

/** @param line the words of the line, with `--` inserted */
export function dashesMissing(line: readonly string[]): string {
  return `Put the command after "--": \`${visible(line.map(quoted).join(' '))}\`.`
}

/** @param command the command whose help applies */
export function tooManyWords(word: string, command: string): string {
  return `"${visible(word)}" is unexpected; see "vitrine ${command} --help".`
}

export function subcommandMissing(command: string, names: readonly string[]): string {
  return `"vitrine ${command}" needs one of: ${names.join(', ')}.`
}

export function unknownSubcommand(
  command: string,
  name: string,
  names: readonly string[],
  nearest: string | undefined,
): string {
  return `"vitrine ${command}" has no "${visible(name)}"${meant(nearest)} Choose one of: ${names.join(', ')}.`
}

/** @param looked the paths where a project file could be */
export function projectFileMissing(looked: readonly string[]): string {
  return `There is no project file to trust; none of these exists: ${looked.map(visible).join(', ')}.`
}

export function notAProjectFile(file: string, name: string): string {
  return `${visible(file)} is not a project file; only a file named ${name} is.`
}

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

const workspaceReasons = {
  named: '--workspace names it',
  'work tree': 'the directory with the .git that git finds from here',
  directory: 'this directory, because git finds no .git of this user from here',
} as const

/** The last line of `vitrine config show`. */
export function workspaceLine({ workspace, why }: Pick<Workspace, 'workspace' | 'why'>): string {
  return `The workspace is ${visible(workspace)}: ${workspaceReasons[why]}.`
}

/** The result of `vitrine config trust`: the files, the values that now apply, and those that are still ignored. */
export function trustedText(
  files: readonly string[],
  counting: readonly IgnoredValue[],
  ignored: readonly IgnoredValue[],
): string {
  const lines = [
    ...files.map((file) => `${visible(file)}: trusted until the file changes`),
    ...counting.map(({ key, text }) => `now applies: ${key} = ${text}`),
    ...describeIgnoredValues(ignored),
  ]
  return lines.map((line) => `${line}\n`).join('')
}

/** @param stack of an error that is not a VitrineError */
export function internalError(stack: string): string {
  return `This is a bug in vitrine. Please report it.\n${stack}`
}

export function outputLost(errno: string, isOfCommand: boolean): string {
  return `The output could not be written (${errno})${isOfCommand ? ', so vitrine ended the command' : ''}.`
}

export const directoryAsInput =
  'Standard input is a directory, which has no bytes to read. Redirect a file, a pipe or /dev/null.'

/** @param options those of the sandbox that were given */
export function noSandbox(options: readonly string[]): string {
  const [have, them] = options.length === 1 ? ['has', 'it'] : ['have', 'them']
  return `${options.join(' and ')} ${have} no effect in write mode, which has no sandbox: leave ${them} out, or use --mode read or --mode workspace.`
}

export const wordNotUtf8 =
  'A word of the command is not UTF-8, so it would reach the command changed. Name such a file by a pattern in a shell line (caf*).'

export function variableNotUtf8(name: string): string {
  return `The value of ${name} (--env) is not UTF-8, so it would reach the command changed.`
}

/** The lines about an ended command, after its own output. */
export function afterLines(result: Result): readonly string[] {
  const { background, hint, outcome, scratchpad, survivorsKilled } = result
  const lines = outcomeLine(result)
  if (background && background.count > 0)
    lines.push(
      `${processes(background.count, 'is', 'are')} still running in group ${background.group}; to end: kill -- -${background.group}`,
    )
  if (background?.left) lines.push(leftText(background.left))
  if (survivorsKilled > 0 && outcome.kind === 'exited') lines.push(survivorsText(survivorsKilled))
  if (scratchpad && scratchpad.bytes > 0) {
    const what = isSavedWhole(result) ? 'complete output' : 'beginning of the output'
    lines.push(`the ${what} (${sizeText(scratchpad.bytes)}) is in ${scratchpad.path}`)
  }
  lines.push(...handoffLines(result.handoffs))
  lines.push(...denialLines(denialsBeside(result)))
  if (hint !== undefined) lines.push(hint)
  return lines
}

/** A full disk takes a part, or nothing. */
function isSavedWhole({ scratchpad, bytes }: Result): boolean {
  return scratchpad === undefined || scratchpad.bytes === bytes
}

function outcomeLine(result: Result): string[] {
  const { outcome } = result
  if (outcome.kind === 'timed-out')
    return [`timed out after ${outcome.afterMs} ms; the command was terminated`]
  // The hint tells of a full disk.
  if (outcome.kind === 'output-limit' && !isSavedWhole(result)) return []
  if (outcome.kind === 'output-limit')
    return [`the command was killed at its output limit: ${bytesText(outcome.limit)} ([output] max_bytes)`]
  if (outcome.kind === 'limited')
    return [`the command was killed: ${limitReached(outcome)}`, limitAdvice(outcome.limit).advice]
  return []
}

export function runningLine(ms: number, bytes: number): string {
  return `vitrine: running for ${Math.round(ms / 1000)} s, ${sizeText(bytes)} of output`
}

function meant(nearest: string | undefined): string {
  return nearest === undefined ? '.' : `; did you mean "${nearest}"?`
}
