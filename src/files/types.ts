import type { HintReader } from '../base/hint.ts'
import type { Handoff, Mode } from '../base/types.ts'
import type { TextEncoding } from './text.ts'

/** Of every operation on files. */
export interface FileOptions {
  /** Ends the operation; it then throws the signal's reason, or FILE_FAILED once it has begun. */
  readonly signal?: AbortSignal | undefined
  /** Milliseconds, above 0; default `[shell] timeout_ms`. */
  readonly timeoutMs?: number | undefined
  /** For this operation only: a mode as strict as the shell's, or stricter. Default: the shell's. */
  readonly mode?: Mode | undefined
  /** The reader of the errors' hints. Default `user`. */
  readonly hintFor?: HintReader | undefined
}

export interface ReadOptions extends FileOptions {
  /** Lines to skip, with `encoding: 'buffer'` bytes; negative: how many to read from the end. Default 0. */
  readonly offset?: number | undefined
  /** The most lines, or bytes. Default: all, as far as 32 MiB. */
  readonly limit?: number | undefined
}

export interface FileText {
  /** Without a byte order mark; line ends as they are. */
  readonly text: string
  /** The first and the last line of `text`, from 1; `to` is less than `from` where it has none. */
  readonly from: number
  readonly to: number
  /** Lines of the whole file; of one over 32 MiB its line ends. */
  readonly lines: number
  /** Bytes of the whole file. */
  readonly size: number
  /** There are lines before or after these. */
  readonly truncated: boolean
  readonly encoding: TextEncoding
}

export interface FileBytes {
  readonly bytes: Buffer
  /** Bytes of the whole file. */
  readonly size: number
  /** There are bytes before or after these. */
  readonly truncated: boolean
}

/** What a change did. */
interface Changed {
  /** As those of a command's result. */
  readonly handoffs: readonly Handoff[]
}

export interface Written extends Changed {
  /** The file's size now. */
  readonly bytes: number
  /** There was no such file. */
  readonly created: boolean
}

export interface EditRequest {
  readonly path: string
  /** What stands in the file once. LF matches CRLF where the file has that. */
  readonly old: string
  readonly new: string
  /** Replace it wherever it stands. Default false: more than once is an error. */
  readonly all?: boolean | undefined
}

export interface EditDone extends Changed {
  readonly replaced: number
  /** The line of the first change, from 1. */
  readonly line: number
  /** The file's size now. */
  readonly bytes: number
}

export interface ListOptions extends FileOptions {
  /** Directories below the first one to enter, plus 1. Default 1: the directory's own entries. */
  readonly depth?: number | undefined
  /** The most entries. Default 1000. */
  readonly limit?: number | undefined
}

export interface FileEntry {
  /** Relative to the directory. */
  readonly path: string
  readonly type: 'file' | 'directory' | 'link' | 'other'
}

/** Sorted by path. */
export interface Found {
  /** There are more than `limit`. */
  readonly truncated: boolean
  /** What could not be looked at, and why. */
  readonly notes: readonly string[]
}

export interface Listing extends Found {
  readonly entries: readonly FileEntry[]
}

export interface GlobOptions extends FileOptions {
  /** The directory to search; paths are relative to it. Default: the shell's. */
  readonly cwd?: string | undefined
  /** The most paths. Default 1000. */
  readonly limit?: number | undefined
}

export interface Globbed extends Found {
  readonly paths: readonly string[]
}

export interface GrepOptions extends FileOptions {
  /** A file, or the directory to search. Default: the shell's directory. */
  readonly path?: string | undefined
  /** Only files whose path matches, or whose name where this has no slash. */
  readonly glob?: string | undefined
  /** Default false. */
  readonly ignoreCase?: boolean | undefined
  /** The most matches. Default 1000. */
  readonly limit?: number | undefined
}

export interface GrepMatch {
  /** Relative to the shell's directory, or as `path` is. */
  readonly path: string
  /** From 1. */
  readonly line: number
  /** The line, at most 500 characters of it. */
  readonly text: string
}

export interface Grepped extends Found {
  readonly matches: readonly GrepMatch[]
}
