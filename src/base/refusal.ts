import type { ApprovalRecord, Decision, Denial, Mode, Outcome } from './types.ts'

/**
 * What stops a command before it runs, with the facts; `message` of the error words them. `decision` is the policy's, `approval` the
 * approver's; `problem` says what is wrong.
 */
export type Refusal =
  | { readonly code: 'INVALID_REQUEST'; readonly problem: RequestProblem }
  | {
      readonly code: 'CONFIG_INVALID'
      /** The file, or the name of the variable or flag that holds the value. */
      readonly file: string
      /** 1-based; absent for a variable or a flag. */
      readonly line?: number
      /** 1-based; absent for a variable or a flag. */
      readonly column?: number
      /** Dotted key, for example `shell.timeout_ms`; absent for a file that cannot be read or parsed. */
      readonly key?: string
      readonly problem: ConfigProblem
      /** The line with a caret below the place, ready to print; absent where `line` is. */
      readonly excerpt?: string
    }
  | {
      readonly code: 'SANDBOX_UNAVAILABLE'
      /** What cannot be had. `workspace`: workspace mode. Default: read mode. */
      readonly for?: 'limits' | 'docker' | 'launcher' | 'workspace' | 'hosts' | 'private-tmp'
      /** What is needed; `got`: what there is; `remedy`: what to do. Parts of sentences. */
      readonly wanted: string
      readonly got: string
      readonly remedy: string
      /** The operating system, where it is the cause; else absent. */
      readonly platform?: string
    }
  /** `setBy`: the project file that switches the sandbox off; absent: the user's configuration does. */
  | { readonly code: 'WRITE_MODE_REQUIRED'; readonly setBy?: string }
  | { readonly code: 'DENIED'; readonly decision: Decision }
  | {
      readonly code: 'NOT_APPROVED'
      readonly decision: Decision
      readonly approval: ApprovalRecord
      /** The project file that refuses commands when there is no approver; absent: there is none. */
      readonly setBy?: string
    }
  | ({ readonly code: 'AUDIT_FAILED' } & AuditFault)
  | {
      readonly code: 'SPAWN_FAILED'
      /** What failed, for example `exec`; `errno`: the name of its error; `program`: what was to run. */
      readonly step: string
      readonly errno: string
      readonly program: string
      /** The program exists; what runs it does not. Else absent. */
      readonly missing?: 'interpreter'
    }
  | ({ readonly code: 'FILE_FAILED' } & FileFailure)

/** What an operation of `shell.files` is called: in rules, questions and the audit log too. */
export type FileOperation =
  | 'read_file'
  | 'write_file'
  | 'edit_file'
  | 'list_files'
  | 'glob_files'
  | 'grep_files'

/** Why an operation of `shell.files` did nothing. */
export interface FileFailure {
  /** Which operation it was. */
  readonly operation: FileOperation
  /** As given. */
  readonly path: string
  /** The mode that held it. */
  readonly mode: Mode
  /** The reason. */
  readonly problem: FileProblem
  /** What the sandbox refused. */
  readonly denials: readonly Denial[]
  /** As that of a command's result; absent: there is none. */
  readonly hint?: string | undefined
}

/** The reason why an operation of `shell.files` did nothing. */
export type FileProblem =
  | {
      readonly kind: 'failed'
      /** As a system call gives it, such as `ENOENT`; else the words of the tool that failed. */
      readonly errno: string
    }
  /** A FIFO, a socket or a device. */
  | { readonly kind: 'special' }
  | { readonly kind: 'binary' }
  | {
      readonly kind: 'too-large'
      /** The file's bytes. */
      readonly bytes: number
      /** The most bytes. */
      readonly limit: number
    }
  | {
      readonly kind: 'encoding'
      /** The file's, which lacks a character of the new text. */
      readonly encoding: string
    }
  | {
      readonly kind: 'no-match'
      /** The most similar lines; absent: none are similar. */
      readonly nearest?: NearestLines | undefined
    }
  | {
      readonly kind: 'matches'
      /** How often the old text stands there. */
      readonly count: number
      /** Where, 20 at most. */
      readonly lines: readonly number[]
    }
  /** Another program changed the file meanwhile. */
  | { readonly kind: 'changed' }
  | {
      readonly kind: 'pattern'
      /** What grep says about it. */
      readonly said: string
    }
  | {
      readonly kind: 'ended'
      /** How, before it had done its work. */
      readonly outcome: Outcome
    }

/** A part of a file. */
export interface NearestLines {
  /** Its first line, from 1. */
  readonly from: number
  /** Without their ends. */
  readonly lines: readonly string[]
}

export type Unavailable = Extract<Refusal, { code: 'SANDBOX_UNAVAILABLE' }>

export type Unmet = Pick<Unavailable, 'wanted' | 'got' | 'remedy'>

export type UnmetInWorkspace = Unmet & { readonly for: 'workspace' }

/** The kinds of refusals. */
export type RefusalCode = Refusal['code']

/** Why a line could not be written to the audit log. */
export interface AuditFault {
  /** The log. */
  readonly path: string
  /** What failed. */
  readonly step: 'lock' | 'directory' | 'open' | 'room' | 'write' | 'rotate'
  /** The name of an errno, or what is wrong in a word. */
  readonly reason: string
}

/**
 * What is wrong with a request. `field`: where, for example `requests[1].cwd`. `wanted`, `got`, `detail`, `reason`: in words. `bytes`, `limit`:
 * in bytes. `name`: of the output or program. `path`, `workspace`: absolute. `nearest`: the option that is spelt almost so; absent: there is
 * none.
 */
export type RequestProblem =
  | { readonly kind: 'blank-command' }
  | { readonly kind: 'command-and-argv' }
  /** A value of a template string stands behind `opener`, where quotes do not make it one word. */
  | { readonly kind: 'template'; readonly opener: string }
  | { readonly kind: 'nul-byte'; readonly field: string }
  | { readonly kind: 'too-long'; readonly field: string; readonly bytes: number; readonly limit: number }
  | { readonly kind: 'wrong-type'; readonly field: string; readonly wanted: string; readonly got: string }
  | { readonly kind: 'out-of-range'; readonly field: string; readonly wanted: string; readonly got: string }
  | { readonly kind: 'unknown-option'; readonly field: string; readonly nearest?: string }
  | {
      readonly kind: 'cwd'
      readonly path: string
      readonly reason: 'deleted' | 'missing' | 'not-a-directory' | 'unreadable' | 'unanswered'
      /** `unreadable`: the name of the error; else absent. */
      readonly errno?: string
    }
  /** In workspace mode, or with `[shell] reads = "workspace"`. */
  | { readonly kind: 'cwd-outside'; readonly path: string; readonly workspace: string }
  | { readonly kind: 'unsavable'; readonly name: string; readonly reason: string }
  | { readonly kind: 'batch-file'; readonly name: string }
  | { readonly kind: 'shell-closed' }
  /** `backend`: which one has none; absent: the system has none. */
  | { readonly kind: 'no-terminal'; readonly backend?: 'docker' }
  | { readonly kind: 'usage'; readonly detail: string }

/**
 * What is wrong with a configuration. `wanted`, `got`, `detail`, `reason`: in words. `nearest`: the known key that is spelt almost so; absent:
 * there is none.
 */
export type ConfigProblem =
  | { readonly kind: 'syntax'; readonly detail: string }
  | { readonly kind: 'unknown-key'; readonly nearest?: string }
  | { readonly kind: 'wrong-type'; readonly wanted: string; readonly got: string }
  | { readonly kind: 'bad-value'; readonly wanted: string; readonly got: string }
  | { readonly kind: 'unreadable'; readonly reason: string }
