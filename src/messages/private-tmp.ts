import type { UnmetPrivateTmp } from '../base/refusal.ts'
import { scarcityRemedy } from './limits.ts'

export function notRemoved(directory: string, errno: string): string {
  return `${directory}, or what an earlier run left there, could not be removed (${errno}); the next process that uses a private tmp tries again`
}

export function stillRemoved(directory: string): string {
  return `${directory} is large and is still being removed; close() waits for it`
}

const unmet = {
  for: 'private-tmp',
  wanted: 'a private temporary directory ([shell] private_tmp = true, or workspace mode)',
} as const
const useOwn = 'set TMPDIR to a directory of your own'
const useWritable = 'set TMPDIR to a directory that you can write to'

export function noPrivateTmpOn(platform: string): UnmetPrivateTmp {
  return { ...unmet, got: `${platform} has none`, remedy: 'set private_tmp = false' }
}

export function privateTmpNotMade(temporary: string, reason: string): UnmetPrivateTmp {
  return { ...unmet, got: `none can be created in ${temporary}: ${reason}`, remedy: useWritable }
}

/**
 * @param own the directory of this user in `temporary`
 * @param failedStep a step of the addon: native/core.h, struct vt_private
 */
export function privateTmpFailed(
  temporary: string,
  own: string,
  failedStep: string,
  errno: string,
): UnmetPrivateTmp {
  const words: Readonly<Record<string, readonly [got: string, remedy: string]>> = {
    temporary: [`${temporary} cannot be opened: ${errno}`, 'set TMPDIR to an existing directory'],
    unsafe: [
      `other users can rename files in ${temporary}: they can write to it and it has no sticky bit, or one of them owns it`,
      `run chmod +t ${temporary}, or ${useOwn}`,
    ],
    parent: [`${own} cannot be created or opened: ${errno}`, useWritable],
    foreign: [
      `${own} is not a directory that only you can enter`,
      `check what it is; then remove it or run chmod 700 on it, or ${useOwn}`,
    ],
    directory: [`no directory can be created in ${own}: ${errno}`, 'free space there, or set TMPDIR'],
    lock: [
      `a directory in ${own} cannot be locked: ${errno}`,
      'set TMPDIR to a directory on a local file system',
    ],
  }
  const [got, remedy] = words[failedStep] ?? [errno, useOwn]
  // A lock that is held is EAGAIN, too.
  const scarce = failedStep === 'lock' ? undefined : scarcityRemedy(errno)
  return { ...unmet, got, remedy: scarce ?? remedy }
}
