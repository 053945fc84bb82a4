/** A line that PowerShell expanded before another PowerShell saw it. */
export function nestedPowershellHint(): string {
  return 'The command runs in PowerShell already, so a script in double quotes given to another powershell -Command has its $ variables expanded by the outer one: give the script itself as the command, or put it in single quotes.'
}

/** Why a program of the shell's own kind is not started without a shell. */
export function describeBatchFile(name: string): string {
  return `"${name}" is a batch file, which cmd.exe would run with arguments read by its own rules: give the whole as "command".`
}

/** An addon that was built for another vitrine. */
export function otherInterface(found: number | undefined, needed: number): string {
  return `its addon belongs to another version of vitrine (interface ${found ?? 'without a number'}, needed is ${needed})`
}

export const addonRemedy =
  'install vitrine again (packages have a prebuilt addon), or build it (npm run build); in a bundle give its path: openShell({ addon }) or VITRINE_ADDON, node_modules/vitrine/prebuilds/PLATFORM-ARCH/vitrine.node'

/** Nothing can start a command, in either mode. */
export function describeNoLauncher({
  wanted,
  got,
  remedy,
}: {
  wanted: string
  got: string
  remedy: string
}): string {
  return `Commands need ${wanted}; this host: ${got}. Nothing ran. To have it: ${remedy}.`
}

/** Why no command gets a terminal here. */
export function describeNoTerminal(): string {
  return "A terminal for a command (pty) needs vitrine's addon for Linux; elsewhere it would take node-pty, which vitrine does not come with. Run the command without a terminal."
}

/** What a person is told where there is no way to hold a command. */
export function describeOtherPlatform(platform: string): string {
  return `Shell commands are not available in read mode on ${platform}; switch to write mode to run them without a sandbox`
}
