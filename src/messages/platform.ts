import type { HintReader } from '../base/hint.ts'
import type { Unmet } from '../base/refusal.ts'
import { clipped, visible } from '../base/text.ts'
import { scarcityRemedy } from './limits.ts'

/** A line whose variables PowerShell expands before the inner PowerShell sees it. */
export const nestedPowershellHint =
  'The command already runs in PowerShell, which expands the $ variables of a double-quoted script before the inner "powershell -Command" sees it. Pass the script itself as the command, or put it in single quotes.'

export function describeBatchFile(name: string): string {
  return `"${name}" is a batch file, and cmd.exe parses its arguments by rules of its own. Pass the whole line as "command".`
}

export function otherInterface(found: number | undefined, needed: number): string {
  return `the addon belongs to another version of vitrine (its interface is ${found ?? 'unknown'}; ${needed} is needed)`
}

export function noAddonFor(platform: string): string {
  return `there is no addon for ${platform}`
}

export const addonOnWindows = 'this is Windows'

export const addonRemedy =
  'reinstall vitrine (packages have a prebuilt addon), or build it (npm run build); in a bundle pass the path of node_modules/vitrine/prebuilds/PLATFORM-ARCH/vitrine.node as openShell({ addon }) or VITRINE_ADDON'

export const addonsOff = 'Node runs without addons'

const addonsOffRemedy = 'start Node without --no-addons, and with --allow-addons where --permission is given'

/** @param missing why the addon does not load */
export function addonMissing(missing: string | undefined): Unmet {
  const scarce = scarcityRemedy(/^E\w+/.exec(missing ?? '')?.[0] ?? '')
  return {
    wanted: 'the native addon',
    got: missing ?? 'it did not load',
    remedy: missing === addonsOff ? addonsOffRemedy : (scarce ?? addonRemedy),
  }
}

/** @param got why neither addon nor execa loads */
export function launcherMissing(got: string): Unmet {
  return { wanted: 'the native addon, or execa in its place', got, remedy: addonRemedy }
}

export const noTerminal =
  "A terminal for a command (pty) needs vitrine's addon for Linux. Run the command without a terminal."

export function noSandboxOn(platform: string): Unmet {
  return {
    wanted: 'a sandbox for this system',
    got: `${platform}, which has none`,
    remedy: 'run it on Linux, macOS or Windows',
  }
}

export function describeOtherPlatform(platform: string): string {
  return `Shell commands are not available in a sandboxed mode (read, workspace) on ${platform}. The command did not run.\nWrite mode runs them without a sandbox.`
}

const limitsWanted = 'the native addon on Linux'

export const limitsWithoutAddon: Unmet = {
  wanted: limitsWanted,
  got: 'no addon',
  remedy: 'run it on Linux, with the addon built (npm run build) or a package with a prebuilt one',
}

export const limitsOnWindows: Unmet = { wanted: limitsWanted, got: 'Windows', remedy: 'run it on Linux' }

/** A bug: a launcher or a private directory got a confinement of another system. */
export function cannotConfine(what: string, kind: string): string {
  return `${what} cannot confine by ${kind}`
}

export const windowsFailures = {
  integrity: (level: number) => `integrity level 0x${level.toString(16)}, above Low`,
  other: (error: number) => `Windows error ${error}`,
  noCommandLine: 'the Windows launcher needs a command line',
} as const

/** A word of bash's language, as the line has it. */
const maxWords = 4

/** The shell of the line is dash, and bash would have read these words otherwise. Other shells are a setting. */
export function dashHint(words: readonly string[], reader: HintReader): string {
  const said = words.slice(0, maxWords).map((text) => `"${clipped(text, 30)}"`)
  const way =
    reader === 'user'
      ? 'For bash: --shell bash, or [shell] program = "bash".'
      : 'Write it for sh, or ask the user to set [shell] program = "bash".'
  return `The shell is dash, which reads this line otherwise than bash does, or not at all: ${said.join(', ')}. ${way}`
}

/** @param pattern that of `pkill -f`, which matches the arguments of the shell that runs the line */
export function pkillHint(pattern: string, signal: NodeJS.Signals): string {
  const other = /^\w/.test(pattern) ? `: pkill -f '[${pattern[0]}]${visible(pattern.slice(1))}'` : ''
  return `"pkill -f" ended the shell of this line, too (${signal}): the pattern is in the arguments of that shell. Write a pattern that does not match itself${other}.`
}
