import { visible } from '../base/visible.ts'
import type { UnfitRootFound } from '../sandbox/workspace/changes.ts'

const reasons: Readonly<Record<UnfitRootFound['why'], string>> = {
  root: 'it is the root of the file system',
  home: 'it is, or holds, the home directory',
  own: 'it holds the configuration or the state of vitrine',
  link: 'a symbolic link is on the way to it',
  missing: 'it does not exist',
}

/** Why workspace mode does not open a directory to changes. */
export function unfitRoot({ path, why }: UnfitRootFound): {
  readonly wanted: string
  readonly got: string
  readonly remedy: string
} {
  return {
    wanted: 'workspace mode: a directory that commands may change',
    got: `${visible(path)} cannot be one: ${reasons[why]}`,
    remedy: 'start in a project, or name one with --workspace or [policy] workspace',
  }
}
