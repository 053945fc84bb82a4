/** What a decision needs to know about this machine. Absolute paths, as written: `a/..` need not be the parent of `a`. */
export interface FactsNeeded {
  /** The first one is the current directory. */
  readonly paths: readonly string[]
  readonly globs: readonly string[]
  /** Directories in which a glob begins: a name there that begins with a dash becomes an option. */
  readonly directories: readonly string[]
  /** Directories that a git command would run in. */
  readonly repositories: readonly string[]
  /** Names of programs, to be looked up in PATH. */
  readonly programs: readonly string[]
  /** Whether a pattern could match the name of a directory's entry: how patterns are read is the policy's to say. */
  readonly couldMatch: (pattern: string, name: string) => boolean
}

/** A program that PATH finds in a project's directory. */
export interface ForeignProgram {
  readonly path: string
  /** The system has one of that name. */
  readonly shadows: boolean
}

/** What was found out. A fact that was needed and is not here counts as unknown. */
export interface Facts {
  /** By path as needed: where it leads when every symbolic link is followed; what does not exist is resolved as far as it does. */
  readonly realPaths: ReadonlyMap<string, string>
  /** By pattern as needed: where each match leads; null when there were too many. */
  readonly globs: ReadonlyMap<string, readonly string[] | null>
  /** Directories as needed in which no name begins with a dash. */
  readonly withoutDashes: ReadonlySet<string>
  readonly repositories: ReadonlyMap<string, RepositoryConfig>
  /** Those of the programs needed that come with a project, by name. */
  readonly foreignPrograms: ReadonlyMap<string, ForeignProgram>
  /** Where the workspace leads; absent when there is none. */
  readonly workspace?: string
  /** vitrine's own config files and state, resolved. */
  readonly ownPaths: readonly string[]
  /** Paths whose file system did not answer in time, empty where nobody could look: the line may do anything there. */
  readonly unanswered: readonly string[]
}

/** One entry of a git configuration. The section and the name are in lower case, a subsection is as written. */
export interface ConfigEntry {
  readonly key: string
  /** Without `=`: `true`. */
  readonly value: string
}

/** An entry with the file it stands in. */
export interface FoundEntry extends ConfigEntry {
  readonly file: string
}

/** What a git command would find: its repository's configuration and hooks, and those of the repositories inside it. */
export type RepositoryConfig =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'read'
      readonly entries: readonly FoundEntry[]
      /** What stands in the directories of hooks. */
      readonly hooks: readonly string[]
    }
  | { readonly kind: 'unreadable'; readonly path: string; readonly why: string }
