import type { HintReader } from '../base/hint.ts'
import type { Handoff, Mode } from '../base/types.ts'
import type { TextEncoding } from './text.ts'

/** Options of every operation on files. */
export interface FileOptions {
  /** Ends the operation, which then throws its reason, or FILE_FAILED once it has begun. Default: none. */
  readonly signal?: AbortSignal | undefined
  /** Milliseconds, above 0. Default: `[shell] timeout_ms`. */
  readonly timeoutMs?: number | undefined
  /** For this operation only: a mode as strict as the shell's, or stricter. Default: the shell's. */
  readonly mode?: Mode | undefined
  /** The reader of the hint in an error. Default: `user`. */
  readonly hintFor?: HintReader | undefined
}

/** Which part of a file is read. */
export interface ReadOptions extends FileOptions {
  /** Lines to skip; negative: how many to read from the end. Default: 0. */
  readonly offset?: number | undefined
  /** The most lines. Default: all. */
  readonly limit?: number | undefined
}

/** Lines of a file. */
export interface FileText {
  /** Without a byte order mark; line ends as they are. */
  readonly text: string
  /** The first line of `text`, from 1. */
  readonly from: number
  /** The last line of `text`; less than `from` where it has none. */
  readonly to: number
  /** The whole file's lines. */
  readonly lines: number
  /** The whole file's bytes. */
  readonly size: number
  /** There are others before or after these. */
  readonly truncated: boolean
  /** `latin1`: bytes that are no UTF-8, each of them a character. */
  readonly encoding: TextEncoding
}

/** What `write` did. */
export interface Written {
  /** The file's bytes now. */
  readonly bytes: number
  /** There was no such file. */
  readonly created: boolean
  /** As those of a command's result. */
  readonly handoffs: readonly Handoff[]
}

/** What `edit` replaces. */
export interface EditRequest {
  /** Of a file that exists. */
  readonly path: string
  /** What stands in the file once. LF matches CRLF where the file has that. */
  readonly old: string
  /** What stands there afterwards, with the file's line ends. */
  readonly new: string
  /** Replaces it wherever it stands. Default: false, so that more than once is an error. */
  readonly all?: boolean | undefined
}

/** What `edit` did. */
export interface EditDone {
  /** How often the old text was replaced. */
  readonly replaced: number
  /** The line of the first change, from 1. */
  readonly line: number
  /** The file's bytes now. */
  readonly bytes: number
  /** As those of a command's result. */
  readonly handoffs: readonly Handoff[]
}

/** Options of `list`. */
export interface ListOptions extends FileOptions {
  /** Levels of directories. Default: 1, the entries of the directory itself. */
  readonly depth?: number | undefined
  /** The most entries. Default: 1000. */
  readonly limit?: number | undefined
}

/** An entry of a directory. */
export interface FileEntry {
  /** Relative to the directory that was listed. */
  readonly path: string
  /** `other`: a FIFO, a socket or a device. */
  readonly type: 'file' | 'directory' | 'link' | 'other'
}

/** Whether a search has found all. */
export interface Found {
  /** There are more than `limit`. */
  readonly truncated: boolean
  /** What could not be looked at, and why; at most 20 lines. */
  readonly notes: readonly string[]
}

/** What `list` found. */
export interface Listing extends Found {
  /** Sorted by path. */
  readonly entries: readonly FileEntry[]
}

/** Options of `glob`. */
export interface GlobOptions extends FileOptions {
  /** The directory to search. Default: the shell's. */
  readonly cwd?: string | undefined
  /** The most paths. Default: 1000. */
  readonly limit?: number | undefined
}

/** What `glob` found. */
export interface Globbed extends Found {
  /** Relative to `cwd`, sorted. */
  readonly paths: readonly string[]
}

/** Options of `grep`. */
export interface GrepOptions extends FileOptions {
  /** A file, or a directory to search. Default: the shell's directory. */
  readonly path?: string | undefined
  /** A pattern for the path of files to search, or for their name where it has no slash. Default: all. */
  readonly glob?: string | undefined
  /** Whether `a` matches `A`. Default: false. */
  readonly ignoreCase?: boolean | undefined
  /** The most matches. Default: 1000. */
  readonly limit?: number | undefined
}

/** A line that matches. */
export interface GrepMatch {
  /** Begins as the `path` that was asked for. */
  readonly path: string
  /** From 1. */
  readonly line: number
  /** At most 500 characters of it. */
  readonly text: string
}

/** What `grep` found. */
export interface Grepped extends Found {
  /** Sorted by path and line. */
  readonly matches: readonly GrepMatch[]
}
