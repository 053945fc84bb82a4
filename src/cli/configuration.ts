import { join } from 'node:path'
import { homeDirectory } from '../base/paths.ts'
import { clipped, visible } from '../base/text.ts'
import {
  absolutePath,
  type Backend,
  currentDirectory,
  type Flags,
  type IgnoredValue,
  isHostPattern,
  isShellProgram,
  type LoadedConfig,
  loadConfig,
  type Mode,
  modes,
  type ShellOptions,
} from '../internal.ts'
import { misuse, type Options } from './arguments.ts'
import { tell } from './output.ts'

/** The configuration, with what the command line overrides: options, and `own` of the command. Throws CONFIG_INVALID, INVALID_REQUEST. */
export function loadConfigFor(options: GivenOptions, own: Flags = {}): Promise<LoadedConfig> {
  const { values } = options
  const cwd = values.get('cwd') ?? currentDirectory()
  const flags = { ...flagsFor(options), ...own }
  return loadConfig({ cwd, env: process.env, configFile: values.get('config'), flags })
}

export type GivenOptions = Pick<Options, 'flags' | 'values' | 'lists'>

/** The options that override the configuration, as its flags. Throws INVALID_REQUEST. */
export function flagsFor({ flags, values, lists }: GivenOptions): Flags {
  const network = networkOf({ flags, lists })
  const backend = backendOf(values.get('backend'))
  const program = programOf(values.get('shell'))
  return {
    ...(backend && { 'shell.backend': { value: backend, from: '--backend' } }),
    ...(program && { 'shell.program': { value: program, from: '--shell' } }),
    ...(network && { 'shell.network': network }),
    ...(flags.has('private-tmp') && { 'shell.private_tmp': { value: true, from: '--private-tmp' } }),
  }
}

/** What a shell takes of the command line, but its approver. Throws CONFIG_INVALID, INVALID_REQUEST. */
export async function shellOptions(options: GivenOptions, own: Flags = {}): Promise<ShellOptions> {
  const { values } = options
  return {
    cwd: values.get('cwd'),
    config: await loadConfigFor(options, own),
    workspace: workspaceOf(values.get('workspace')),
    mode: modeOf(options),
  }
}

/** The longest time that timers of 32 bits leave room for. */
const longestMs = 24 * 24 * 60 * 60 * 1000

/** A person ends it, or the client that started it. */
export function unbounded(from: string): Flags {
  return {
    'shell.timeout_ms': { value: longestMs, from },
    'shell.max_timeout_ms': { value: longestMs, from },
    'output.max_bytes': { value: 0, from },
  }
}

/** Throws INVALID_REQUEST for options of the sandbox where write mode, which has none, is the only one. */
export function checkSandboxed(
  served: readonly Mode[],
  { flags, values, lists }: GivenOptions,
  backend: Backend | undefined,
): void {
  if (served.some((mode) => mode !== 'write')) return
  // A container has its network and its workspace in write mode, too.
  const names = [...(backend === 'local' ? ['network', 'workspace'] : []), 'allow-host', 'private-tmp']
  const given = names.filter((name) => flags.has(name) || values.has(name) || lists.has(name))
  if (given.length > 0)
    throw misuse(
      `Without effect in write mode, which has no sandbox: --${given.join(', --')}. Leave it out, or use --mode read or --mode workspace.`,
    )
}

/** The same before a shell is open. A faulty configuration is told when one is opened. */
export async function checkServed(served: readonly Mode[], options: GivenOptions): Promise<void> {
  const loaded =
    options.flags.has('network') || options.values.has('workspace')
      ? await loadConfigFor(options).catch(() => undefined)
      : undefined
  checkSandboxed(served, options, loaded?.config.shell.backend)
}

/** The error for the value of an option that takes others. */
export function wrongValue(option: string, takes: string, got: string): Error {
  return misuse(`${option} takes ${takes}, not "${visible(got)}".`)
}

/** `--network`, or each `--allow-host`. Throws INVALID_REQUEST for what is no host, or both. */
function networkOf({ flags, lists }: Pick<Options, 'flags' | 'lists'>) {
  const hosts = lists.get('allow-host')
  if (flags.has('network') && hosts)
    throw misuse('--network allows every host, so --allow-host adds nothing: leave one of them out.')
  if (flags.has('network')) return { value: true, from: '--network' }
  const wrong = hosts?.find((host) => !isHostPattern(host))
  if (wrong !== undefined)
    throw wrongValue('--allow-host', 'HOST, *.HOST or an address, each with :PORT or without', wrong)
  return hosts && { value: hosts, from: '--allow-host' }
}

/** `--mode MODE`, or `--write` for write mode. Throws INVALID_REQUEST for another word, or a contradiction. */
export function modeOf({ flags, values }: Pick<Options, 'flags' | 'values'>): Mode | undefined {
  const given = values.get('mode')
  const mode = modes.find((known) => known === given)
  if (given !== undefined && mode === undefined) throw wrongValue('--mode', 'read, workspace or write', given)
  if (!flags.has('write')) return mode
  if (mode !== undefined && mode !== 'write')
    throw misuse(`--write means --mode write, but --mode ${mode} is given too: leave one of them out.`)
  return 'write'
}

/** A mode that holds: for clients. */
export function heldModeOf(options: Pick<Options, 'flags' | 'values'>): Exclude<Mode, 'write'> | undefined {
  const mode = modeOf(options)
  if (mode === 'write') throw wrongValue('--mode', 'read or workspace', mode)
  return mode
}

export function backendOf(name: string | undefined): Backend | undefined {
  if (name === undefined || name === 'local' || name === 'docker') return name
  throw wrongValue('--backend', 'local (this machine) or docker (a container)', name)
}

/** Throws INVALID_REQUEST for what is neither a known word nor a path. */
export function programOf(shell: string | undefined): string | undefined {
  if (shell === undefined) return undefined
  if (!isShellProgram(shell)) throw wrongValue('--shell', 'sh, bash or the path of a shell', shell)
  return shell.includes('/') ? absolutePath(shell) : shell
}

/** Like every path of a command line, relative to the current directory, whatever --cwd says. */
export function workspaceOf(path: string | undefined): string | undefined {
  if (path === undefined) return undefined
  const home = path === '~' ? '' : path.startsWith('~/') ? path.slice(2) : undefined
  return home === undefined ? absolutePath(path) : join(homeDirectory(), home)
}

/** Reports settings of project files that are ignored. */
export async function sayIgnored({ ignored }: Pick<LoadedConfig, 'ignored'>): Promise<void> {
  for (const line of describeIgnoredValues(ignored)) await tell(line)
}

const maxIgnoredLines = 10
const maxValueLength = 80

/** One line for each ignored value of a project file; after ten only the number of the rest. */
export function describeIgnoredValues(ignored: readonly IgnoredValue[]): readonly string[] {
  const lines = ignored.slice(0, maxIgnoredLines).map(describeIgnored)
  const rest = ignored.length - lines.length
  return rest === 0 ? lines : [...lines, `${rest} more are ignored; "vitrine config show --json" lists all`]
}

function describeIgnored({ key, file, line, why, text, inForceText }: IgnoredValue): string {
  const place = line === undefined ? visible(file) : `${visible(file)}:${line}`
  const untilTrusted = 'until you trust the file with "vitrine config trust"'
  const because = {
    loosens: `a project file may only tighten ${clipped(inForceText, maxValueLength)} ${untilTrusted}`,
    'needs-trust': `a project file may not set it ${untilTrusted}`,
    'user-only': 'only your own config file, a variable or a flag may set it',
  }[why]
  return `${place}: ${key} = ${clipped(text, maxValueLength)} is ignored: ${because}`
}
