import type { Environment, Mode } from '../base/types.ts'
import type { Piece } from './pieces.ts'

/** One AI client: how its calls come to vitrine. An entry has no other place in the code. */
export interface Client {
  readonly name: string
  /** The version with which all of this was seen. */
  readonly seen: string
  /** What attaching writes, programs first. */
  pieces(place: Place): readonly Piece[]
  /** What the client itself has to be asked, once the pieces are written. Throws with what to do. */
  afterwards?(place: Place): Promise<readonly Piece[]>
  /** The line in the arguments that the client starts its shell with; undefined: unknown, so that nothing may run. */
  line?(args: readonly string[]): ShellCall | undefined
  /** What a hook is told of; undefined: it is no call that vitrine knows, so that it is refused. */
  call?(told: Told): HookCall | undefined
  /** What it tells a hook, where it has other names than Claude's. */
  told?(given: Settings): { readonly tool: unknown; readonly input: unknown; readonly cwd?: unknown }
  /** The hook's answer on stdout; exit code 2 with the reason on stderr refuses in every client that was tried. */
  rewritten?(told: Told, command: string, place: Pick<Place, 'directory'>): object
  /** The answer that refuses, where the reason on stderr does not reach the model. */
  refused?(reason: string): object
  readonly project?: ProjectSettings
  /** What a user should know who attaches it. */
  notes(place: Place): readonly string[]
}

/** Settings that a project brings, which come before the user's. */
export interface ProjectSettings {
  /** Relative to the directory in which the client was started. */
  readonly files: readonly string[]
  /** The client reads those of each directory up to the root of the repository, too. */
  readonly isUpward?: true
  /** The user's own file, which a home directory has in the same place. */
  users(env: Environment): string
  /** Which of them can lead calls around vitrine. */
  switchesOff(settings: Settings): readonly string[]
}

export interface Place {
  readonly env: Environment
  readonly mode: Mode
  /** Starts vitrine: absolute paths. */
  readonly program: readonly [string, ...string[]]
  /** For programs of ours. */
  readonly directory: string
  /** Into the files of the machine's administrator, which come before every other. */
  readonly managed: boolean
}

/** What a client's shell is to run. */
export interface ShellCall {
  readonly line: string
  /** The file that gets the directory in which the line ends. */
  readonly directoryFile?: string
  /** Standard input has something for it. */
  readonly reads: boolean
}

export type Settings = Readonly<Record<string, unknown>>

/** What a client tells a hook, as JSON. */
export interface Told {
  readonly cwd: string
  readonly tool: string
  readonly input: Settings
}

export type HookCall =
  /** Files that it would change. */
  | { readonly kind: 'files'; readonly paths: readonly string[] }
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'other' }

/** A call of one of a client's file tools, which names its files in one of these fields. */
export function filesAt(
  { tool, input }: Told,
  tools: readonly string[],
  fields: readonly string[],
): HookCall | undefined {
  const paths = fields.map((field) => input[field]).filter((path) => typeof path === 'string')
  return tools.includes(tool) && paths.length > 0 ? { kind: 'files', paths } : undefined
}
