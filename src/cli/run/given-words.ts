import { isUtf8 } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { tried } from '../../base/errno.ts'

/** Node decodes arguments as UTF-8 and replaces what is none: the command would get another name than the one given. */
export function areUnchanged(words: readonly string[]): boolean {
  if (!words.some((word) => word.includes('\uFFFD'))) return true
  const given = tried(() => readFileSync('/proc/self/cmdline'))
  return given === undefined || isUtf8(given)
}
