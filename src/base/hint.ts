import type { Denial } from './types.ts'

/**
 * The reader of a hint. `user`: a person with a command line. `tool`: a model with the tools of an MCP server or of `tools`. `only-tool`:
 * a model that has `execute_command` alone. `only-command`: one whose tool takes a command and no other parameter.
 */
export type HintReader = 'user' | 'tool' | 'only-tool' | 'only-command'

/** What connects a git directory outside of the workspace with it: a repaired worktree, or naming its work tree. */
export interface RepositoryRemedy {
  readonly how: 'repair' | 'name'
  readonly tree: string
}

/**
 * Whether an entry of `[workspace] writable` may open a directory. `obeyed`: no, programs outside obey what is in it. `shut`: no, and it
 * is no place of a program's.
 */
export type Opening =
  | { readonly kind: 'open' | 'shut' }
  | { readonly kind: 'obeyed'; readonly place: string; readonly by: string }

/** What the reader can do, as a part of a sentence. */
export interface Way {
  readonly kind: string
  readonly text: string
}

/** What `hint` of a result says about refusals. */
export interface RefusalHint {
  readonly sentence: string
  /** The refusals that the sentence for a user names; the others get lines of their own. */
  readonly named: readonly Denial[]
  /** All that are worth telling: those first. */
  readonly told: readonly Denial[]
  /** What allows a change that was refused. */
  readonly remedy: Way
  /** What to do instead, with the mode that was chosen. */
  readonly instead?: Way | undefined
}

/** A symbol: it travels with the result to the faces, but not into its JSON. */
const behind = Symbol('refusal hint')

interface Hinted {
  readonly [behind]?: RefusalHint
}

export function carrying(hint: RefusalHint): Hinted {
  return { [behind]: hint }
}

/** What `hint` of a result says, if it is about refusals. */
export function hintBehind(result: object): RefusalHint | undefined {
  return (result as Hinted)[behind]
}
