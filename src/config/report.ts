import type { ConfigKey } from './schema.ts'

/** Why a value of a project file, or an entry of its list, is ignored. */
export type IgnoredBecause =
  /** It is looser than the value in force. */
  | 'loosens'
  /** Only a trusted project file may set the key, or hold such an entry. */
  | 'needs-trust'
  /** No project file may set the key. */
  | 'user-only'

/** A value of a project file, or an entry of its list, that is ignored. */
export interface IgnoredValue {
  readonly key: ConfigKey
  readonly value: unknown
  /** In TOML syntax. */
  readonly text: string
  /** In force instead, in TOML syntax. */
  readonly inForceText: string
  readonly file: string
  /** 1-based; absent when the value cannot be located in the file. */
  readonly line?: number
  readonly why: IgnoredBecause
}
