import { lstatSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorCode } from '../base/errno.ts'
import { VitrineError } from '../messages/error.ts'
import { type FileKind, found, wanted } from '../messages/wanted.ts'

export interface AuditPlace {
  readonly path: string
  readonly required: boolean
  /** The parent of private directories, which commands can write to. */
  readonly privateParent: string
  /** The file, variable or flag that sets a key. */
  where(key: 'path' | 'required'): string
}

/** Rejects settings that can never work (CONFIG_INVALID). */
export function checkSettings({ path, required, privateParent, where }: AuditPlace): void {
  if (path === '') {
    if (required) refuse(where('required'), 'required', wanted.auditNotRequired, found.requiredAlone)
    return
  }
  const kind = kindOf(path)
  if (kind !== 'file' && kind !== undefined)
    refuse(where('path'), 'path', wanted.auditFile, found.auditAt(kind, path))
  if (`${path}/`.startsWith(`${privateParent}/`))
    refuse(where('path'), 'path', wanted.auditOutside(privateParent), path)
  const above = firstAbove(path)
  if (above && above.kind !== 'directory' && above.kind !== 'link')
    refuse(where('path'), 'path', wanted.auditBelow, found.belowFile(path, above.path))
}

function refuse(file: string, key: string, said: string, got: string): never {
  throw new VitrineError({
    code: 'CONFIG_INVALID',
    file,
    key: `audit.${key}`,
    problem: { kind: 'bad-value', wanted: said, got },
  })
}

function firstAbove(path: string): { readonly path: string; readonly kind: FileKind } | undefined {
  for (let at = dirname(path); dirname(at) !== at; at = dirname(at)) {
    const kind = kindOf(at)
    if (kind !== undefined) return { path: at, kind }
  }
  return undefined
}

/** `undefined` if there is none or opening the log is to report the error. */
function kindOf(path: string): FileKind | undefined {
  try {
    const status = lstatSync(path)
    if (status.isFile()) return 'file'
    if (status.isDirectory()) return 'directory'
    if (status.isSymbolicLink()) return 'link'
    if (status.isFIFO()) return 'fifo'
    return status.isSocket() ? 'socket' : 'device'
  } catch (error) {
    if (errorCode(error) !== undefined) return undefined
    throw error
  }
}
