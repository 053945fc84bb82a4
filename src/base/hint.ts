import type { ConnectionReason, Denial, Mode } from './types.ts'

/**
 * The reader of a hint: a person with a command line, a model with the tools of an MCP server, or one with a tool for this shell
 * only, which may take a command and no other parameter.
 */
export type HintReader = 'user' | 'tool' | 'only-tool' | 'only-command'

/** What allows a change that was refused. */
export type Remedy =
  /** `proxy`: the network is a list of hosts, and the program did not use the proxy; `ssh`: that program is ssh. */
  | { readonly kind: 'network' | 'proxy' | 'ssh' | 'workspace' | 'write' }
  /** What lets the proxy connect to a host, with its port, that it refused for the reason. */
  | { readonly kind: 'host'; readonly host: string; readonly reason?: ConnectionReason | undefined }
  /** Another process of this machine listens at the address. */
  | { readonly kind: 'service'; readonly address: string }
  /** What lets a command have sockets, shared memory or terminals among its own processes. */
  | { readonly kind: 'own-sockets'; readonly shut: ShutSockets }
  /** An entry of `[workspace] writable`. */
  | { readonly kind: 'writable'; readonly directory: string }
  /** Write mode, as no entry may open a place that programs outside obey. */
  | { readonly kind: 'obeyed'; readonly place: string; readonly by: string }
  | RepositoryRemedy
  /** Write mode, as workspace mode protects the path. `byGit`: `git config` changes the file. */
  | { readonly kind: 'protected'; readonly byGit: boolean }
  /** The program has narrowed its own rights, and the notifier does not act for it. */
  | { readonly kind: 'own-sandbox' }

/** What opens a git directory without an entry: starting in its repository, or what makes it name the work tree. */
export type RepositoryRemedy =
  | { readonly kind: 'repository'; readonly how: 'start' }
  | { readonly kind: 'repository'; readonly how: 'repair' | 'name'; readonly tree: string }

/** Whether an entry of `[workspace] writable` may open a directory. `shut`: no, and it is no place of a program's. */
export type Opening = { readonly kind: 'open' | 'shut' } | Extract<Remedy, { kind: 'obeyed' }>

/** Why a command has no sockets of its own: the setting, read mode without a private TMPDIR, or what the system lacks. */
export type ShutSockets = 'setting' | 'no-private-tmp' | { readonly lacks: string }

/** What to do instead, with the mode that was chosen. */
export type Alternative =
  | { readonly kind: 'sqlite'; readonly database: string }
  | { readonly kind: 'homes'; readonly named: string; readonly passwd: string }
  | {
      readonly kind:
        | 'python'
        | 'git-lfs'
        | 'gpg'
        | 'local-services'
        | 'private-tmp'
        | 'npm-cache'
        | 'leaves-tmp'
        | 'own-tmp'
        | 'tsx'
        | 'nx'
    }

export interface RefusalHint {
  readonly mode: Mode
  /** `network`: nothing but the network was refused. */
  readonly about: 'network' | Denial
  /** The refusals that the sentence for a user names; the others get lines of their own. */
  readonly named: readonly Denial[]
  readonly remedy: Remedy
  readonly instead?: Alternative | undefined
  /** The network was refused, too: what allows it. */
  readonly forNetwork?: Remedy | undefined
  /** The command exited with 0, and this many further refusals are worth telling. */
  readonly succeeded: false | { readonly further: number }
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
