import { lstatSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorCode } from '../base/errno.ts'
import { VitrineError } from '../messages/error.ts'

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
    if (required)
      refuse(where('required'), 'required', 'false, or a path beside it', 'true without [audit] path')
    return
  }
  const wanted = 'a regular file, or a path where nothing is yet'
  const found = kindOf(path)
  if (found !== 'file' && found !== undefined) refuse(where('path'), 'path', wanted, `${found} ${path}`)
  if (`${path}/`.startsWith(`${privateParent}/`))
    refuse(where('path'), 'path', `a path outside of ${privateParent}, where commands can write`, path)
  const above = firstAbove(path)
  if (above && above.kind !== 'a directory' && above.kind !== 'a symbolic link')
    refuse(where('path'), 'path', 'a path below directories', `${path}, where ${above.path} is a file`)
}

function refuse(file: string, key: string, wanted: string, got: string): never {
  throw new VitrineError({
    code: 'CONFIG_INVALID',
    file,
    key: `audit.${key}`,
    problem: { kind: 'bad-value', wanted, got },
  })
}

function firstAbove(path: string): { readonly path: string; readonly kind: string } | undefined {
  for (let at = dirname(path); dirname(at) !== at; at = dirname(at)) {
    const kind = kindOf(at)
    if (kind !== undefined) return { path: at, kind }
  }
  return undefined
}

/** `undefined` if there is none or opening the log is to report the error. */
function kindOf(path: string): string | undefined {
  try {
    const found = lstatSync(path)
    if (found.isFile()) return 'file'
    if (found.isDirectory()) return 'a directory'
    if (found.isSymbolicLink()) return 'a symbolic link'
    if (found.isFIFO()) return 'a FIFO'
    if (found.isSocket()) return 'a socket'
    return 'a device'
  } catch (error) {
    if (errorCode(error) !== undefined) return undefined
    throw error
  }
}
