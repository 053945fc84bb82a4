import type { Mode } from '../../base/types.ts'
import { visible, whollyVisible } from '../../base/visible.ts'

const bold = '\u001b[1m'
const red = '\u001b[31m'
const green = '\u001b[32m'
const plain = '\u001b[0m'

/** What stands before the cursor: the mode, as it must not be overlooked, and the directory. */
export function promptText(mode: Mode, directory: string, coloured: boolean): string {
  const colour = coloured ? (mode === 'write' ? bold + red : green) : ''
  return `${colour}${mode}${colour && plain} ${visible(directory)}> `
}

/** Whether a name can be offered: it does not steer the terminal nor hide there, and is Unicode. */
export function showsAsItIs(name: string): boolean {
  return whollyVisible(name) === name && !name.includes('\u{fffd}')
}

/** Before the further lines of a command. */
export const continuationPrompt = '> '

/** While the history is searched. */
export function searchPrompt(typed: string, match: string | undefined): string {
  const found = match === undefined ? 'no line has it' : visible(match)
  return `(search) ${visible(typed)}: ${found}`
}

/** When the shell begins at a terminal. */
export const shellGreeting =
  'read mode refuses every change; ":write" and ":read" change the mode, ":help" says more, Ctrl+D ends.'

export const shellHelp = `cd [DIR]      go to another directory; "cd -" goes back
:write        write mode: commands run unsandboxed
:read         read mode: the operating system refuses every change
:help         this list
fg            let the command go on that Ctrl+Z stopped; jobs: which there are
exit [CODE]   or Ctrl+D: end
Each command is run by a sh of its own. The directory and exported variables are kept for the next one; functions, aliases,
shell options and variables that are not exported are not. What is exported in read mode counts in read mode only.
`

const modeLines: Readonly<Record<Mode, string>> = {
  read: 'read mode: the operating system refuses every change.',
  write: 'write mode: commands run unsandboxed, as you. ":read" goes back.',
}

/** @param left the variables that were exported in read mode */
export function modeLine(mode: Mode, left: readonly string[]): string {
  if (left.length === 0) return modeLines[mode]
  return `${modeLines[mode]}\nExported in read mode, and not passed on: ${left.join(', ')}. Export them again if they are meant.`
}

export function stoppedLine(line: string): string {
  return `Stopped: ${visible(line)}. "fg" lets it go on; its timeout still counts.`
}

export const noStopped = 'No command is stopped.'

/** @param lines the stopped commands, oldest first */
export function jobsText(lines: readonly string[]): string {
  return lines.map((line) => `stopped  ${visible(line)}\n`).join('')
}

/** When the shell ends. */
export function endedStopped(lines: readonly string[]): string {
  return `Stopped commands are ended: ${lines.map(visible).join('; ')}`
}

export function directoryGone(gone: string, there: string): string {
  return `The directory ${visible(gone)} does not exist any more, so nothing ran. The current one is ${visible(there)} now.`
}

export function historyLost(file: string, errno: string): string {
  return `The history is not kept for the next run: ${visible(file)} cannot be written (${errno}).`
}

export function unknownColon(word: string): string {
  return `"${word}" is none of :read, :write, :help.`
}

export const exitUsage = 'exit takes one number, 0 to 255.'
