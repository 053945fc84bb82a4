import type { UnmetPrivateTmp } from '../base/refusal.ts'

export const unmetPrivateTmp = {
  for: 'private-tmp',
  wanted: 'a private temporary directory ([shell] private_tmp = true, or workspace mode)',
} as const
export const useWritable = 'set TMPDIR to a directory that you can write to'

export function noPrivateTmpOn(platform: string): UnmetPrivateTmp {
  return { ...unmetPrivateTmp, got: `${platform} has none`, remedy: 'set private_tmp = false' }
}

export function privateTmpNotMade(temporary: string, reason: string): UnmetPrivateTmp {
  return { ...unmetPrivateTmp, got: `none can be created in ${temporary}: ${reason}`, remedy: useWritable }
}
