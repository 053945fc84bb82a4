import type { ConfigEntry } from '../base/git/config.ts'

/** Paths are absolute and not normalized: `a/..` need not be the parent of `a`. */
export interface FactsNeeded {
  /** The first one is the current directory. */
  readonly paths: readonly string[]
  readonly globs: readonly string[]
  /** Directories in which a glob starts: a file name there that begins with a dash would become an option. */
  readonly directories: readonly string[]
  readonly repositories: readonly string[]
  readonly programs: readonly string[]
  /** Whether a pattern could match a directory entry; the policy knows how shells read patterns. */
  readonly couldMatch: (pattern: string, name: string) => boolean
}

export interface ForeignProgram {
  readonly path: string
  /** A system directory has a program of the same name. */
  readonly shadows: boolean
}

/** Real paths. */
export interface GlobMatches {
  /** The directory that the pattern names before its first wildcard. */
  readonly directory: string
  readonly matches: readonly string[]
}

/** A needed fact that is absent counts as unknown. */
export interface Facts {
  /** By needed path: the real path; a path that does not exist is resolved as far as it exists. */
  readonly realPaths: ReadonlyMap<string, string>
  /** By needed pattern; null when there were too many, or they are not known. */
  readonly globs: ReadonlyMap<string, GlobMatches | null>
  readonly withoutDashes: ReadonlySet<string>
  readonly repositories: ReadonlyMap<string, RepositoryConfig>
  /** Needed programs that come with a project, by name. */
  readonly foreignPrograms: ReadonlyMap<string, ForeignProgram>
  readonly workspace?: string
  readonly ownPaths: readonly string[]
  /** Paths that did not answer; an empty string: no lookup was possible. The line may do anything there. */
  readonly unanswered: readonly string[]
}

export interface FoundEntry extends ConfigEntry {
  readonly file: string
}

/** The configuration and hooks of a git command's repository, and of the repositories inside it. */
export type RepositoryConfig =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'read'
      readonly entries: readonly FoundEntry[]
      /** The files in the hook directories. */
      readonly hooks: readonly string[]
    }
  | { readonly kind: 'unreadable'; readonly path: string; readonly why: string }
