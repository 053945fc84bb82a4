import { lstatSync } from 'node:fs'
import { dirname } from 'node:path'
import { unlessSystemError } from '../base/errno.ts'
import { isBeneath } from '../base/paths.ts'
import { badSetting, type LoadedConfig } from '../config/load.ts'
import { type FileKind, found, wanted } from '../messages/wanted.ts'

/**
 * Rejects settings that can never work (CONFIG_INVALID).
 * @param privateParent the parent of private directories, which commands can write to
 */
export async function checkSettings(loaded: LoadedConfig, privateParent: string): Promise<void> {
  const { path, required } = loaded.config.audit
  const refuse = async (said: string, got: string, key: 'audit.path' | 'audit.required' = 'audit.path') => {
    throw await badSetting(loaded, key, said, got)
  }
  if (path === '') {
    if (required) await refuse(wanted.auditNotRequired, found.requiredAlone, 'audit.required')
    return
  }
  const kind = kindOf(path)
  if (kind !== 'file' && kind !== undefined) await refuse(wanted.auditFile, found.auditAt(kind, path))
  if (isBeneath(path, privateParent)) await refuse(wanted.auditOutside(privateParent), path)
  const above = firstAbove(path)
  if (above && above.kind !== 'directory' && above.kind !== 'link')
    await refuse(wanted.auditBelow, found.belowFile(path, above.path))
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
  const status = unlessSystemError(() => lstatSync(path))
  if (!status) return undefined
  if (status.isFile()) return 'file'
  if (status.isDirectory()) return 'directory'
  if (status.isSymbolicLink()) return 'link'
  if (status.isFIFO()) return 'fifo'
  return status.isSocket() ? 'socket' : 'device'
}
