import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { allProcesses } from '../../helpers/processes.ts'
import type { Tmux } from '../../helpers/tmux.ts'
import { Home } from '../vitrine.ts'

/** What keeps each shell from asking and greeting at its start, and has its prompt be "> ". */
const settings = {
  '.bashrc': 'PS1="> "\n',
  '.zshrc': 'PS1="> "\n',
  '.config/fish/config.fish': 'set fish_greeting\nfunction fish_prompt; echo -n "> "; end\n',
}

/** A home with settings for every shell, and a workspace `work` with a file `kept`. */
export function homeForShells(): Home {
  const home = new Home()
  // Without the last one fish reads all manual pages at its first start, for minutes.
  for (const directory of ['work', '.config/fish', '.local/share/fish/generated_completions'])
    mkdirSync(join(home.directory, directory), { recursive: true })
  for (const [name, text] of Object.entries(settings)) writeFileSync(join(home.directory, name), text)
  writeFileSync(join(home.directory, 'work/kept'), 'as it was\n')
  return home
}

/** Starts `vitrine shell`, up to its prompt; its exit code, and whether the terminal is as before, are shown behind it. */
export async function startShell(terminal: Tmux, args = ''): Promise<void> {
  terminal.line(
    `clear; "$NODE_PROGRAM" "$CLI_PROGRAM" shell ${args}; echo "code $?"; stty -a | grep -o " icanon"`,
  )
  await terminal.shows(/^vitrine: .* mode: .*\n(.*\n)*[>$#](?: .*)?$/m)
}

/** How many processes sleep for the marker. */
export function sleeping(marker: string): number {
  return allProcesses().filter(({ running, commandLine }) => running && commandLine === `sleep\0${marker}\0`)
    .length
}

/** The command line that this terminal runs. */
export function ours(terminal: Tmux): number {
  const found = allProcesses().find(
    ({ parent, running, commandLine }) =>
      running && parent === terminal.pid && commandLine.includes('cli.cjs'),
  )
  if (!found) throw new Error(`nothing runs:\n${terminal.screen()}`)
  return found.pid
}
