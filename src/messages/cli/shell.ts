import type { Mode } from '../../base/types.ts'
import { visible, whollyVisible } from '../../base/visible.ts'

const bold = '\u001b[1m'
const red = '\u001b[31m'
const green = '\u001b[32m'
const plain = '\u001b[0m'

/** The prompt: the mode, highlighted in write mode, and the directory. */
export function promptText(mode: Mode, directory: string, coloured: boolean): string {
  const colour = coloured ? (mode === 'write' ? bold + red : green) : ''
  return `${colour}${mode}${colour && plain} ${visible(directory)}> `
}

/** True if completion may offer the name: it is valid Unicode without control or invisible characters. */
export function showsAsItIs(name: string): boolean {
  return whollyVisible(name) === name && !name.includes('\u{fffd}')
}

export const continuationPrompt = '> '

export function searchPrompt(typed: string, match: string | undefined): string {
  const found = match === undefined ? 'no match' : visible(match)
  return `(search) ${visible(typed)}: ${found}`
}

export const shellHelp = `cd [DIR]      change the directory; "cd -" goes back
:write        write mode: commands run unsandboxed
:workspace    workspace mode: the operating system refuses every change outside the workspace
:read         read mode: the operating system refuses every change
:help         show this list
fg            resume the command that Ctrl+Z stopped; "jobs" lists them
exit [CODE]   exit; also Ctrl+D
Each command runs in its own sh. The next one keeps the directory and exported variables, but not functions, aliases,
shell options or other variables. A variable exported in one mode does not apply in a looser one.
`

const modeLines: Readonly<Record<Mode, string>> = {
  read: 'read mode: the operating system refuses every change.',
  workspace: 'workspace mode: the operating system refuses every change outside the workspace.',
  write: 'write mode: commands run unsandboxed, with your rights. ":read" goes back.',
}

export function shellGreeting(mode: Mode): string {
  return `${modeLines[mode]}\n":workspace", ":write" and ":read" switch the mode, ":help" lists commands, Ctrl+D exits.`
}

/** @param left the variables that were exported in a stricter mode */
export function modeLine(mode: Mode, left: readonly string[]): string {
  if (left.length === 0) return modeLines[mode]
  return `${modeLines[mode]}\nNot kept, because they were exported in a stricter mode: ${left.join(', ')}. Export them again if you need them.`
}

export function stoppedLine(line: string): string {
  return `Stopped: ${visible(line)}. "fg" resumes it; its timeout continues.`
}

export const noStopped = 'No command is stopped.'

/** @param lines the stopped commands, oldest first */
export function jobsText(lines: readonly string[]): string {
  return lines.map((line) => `stopped  ${visible(line)}\n`).join('')
}

export function endedStopped(lines: readonly string[]): string {
  return `Ending stopped commands: ${lines.map(visible).join('; ')}`
}

export function directoryGone(gone: string, there: string): string {
  return `The directory ${visible(gone)} no longer exists, so nothing ran. The current directory is now ${visible(there)}.`
}

export function historyLost(file: string, errno: string): string {
  return `The history cannot be saved: writing ${visible(file)} fails (${errno}).`
}

export function unknownColon(word: string): string {
  return `"${word}" is unknown; use :read, :workspace, :write or :help.`
}

export const exitUsage = 'exit takes one number from 0 to 255.'
