import type { Mode } from './result.ts'
import { visible, whollyVisible } from './visible.ts'

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

/** When the shell begins at a terminal. */
export const shellGreeting =
  'read mode refuses every change; ":write" and ":read" change the mode, ":help" says more, Ctrl+D ends.'

export const shellHelp = `cd [DIR]      go to another directory; "cd -" goes back
:write        write mode: commands run unsandboxed
:read         read mode: the operating system refuses every change
:help         this list
exit [CODE]   or Ctrl+D: end
Each line is run by sh on its own: variables, functions and jobs are not kept for the next one.
`

const modeLines: Readonly<Record<Mode, string>> = {
  read: 'read mode: the operating system refuses every change.',
  write: 'write mode: commands run unsandboxed, as you. ":read" goes back.',
}

export function modeLine(mode: Mode): string {
  return modeLines[mode]
}

export function unknownColon(word: string): string {
  return `"${word}" is none of :read, :write, :help.`
}

export const exitUsage = 'exit takes one number, 0 to 255.'
