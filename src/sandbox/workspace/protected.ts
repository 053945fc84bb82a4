import { words } from '../../base/text.ts'
import { obeyed } from './obeyed-names.ts'

/** Relative to the workspace; the table has the reasons. */
export const protectedInWorkspace: readonly string[] = obeyed.flatMap(({ names, only }) =>
  only ? [] : names,
)

/** The same, but only where they exist: any file could have such a name, or `bin` could be moved no more. */
export const protectedIfThere: readonly string[] = obeyed.flatMap(({ names, only }) =>
  only === 'existing' ? names : [],
)

/** vitrine in a project, only if it exists: protecting an absent one would slow down everything in `node_modules`. */
export const ownPrograms: readonly string[] = ['node_modules/vitrine', 'node_modules/.bin/vitrine']

/** Relative to a git directory (gitrepository-layout(5)): git obeys these in every repository that it is run in. */
export const protectedInGit: readonly string[] = words(
  'config config.worktree hooks info/attributes commondir remotes branches lazygit.yml',
)

/** In the directory of a linked worktree (`worktrees/NAME`). */
export const protectedInWorktree: readonly string[] = ['config.worktree', 'commondir', 'gitdir']

/** githooks(5). Where `core.hooksPath` names a root itself, only these are protected in it. */
export const hooks: readonly string[] = words(`
  applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit
  pre-rebase post-checkout post-merge pre-push pre-receive update proc-receive post-receive post-update
  reference-transaction push-to-checkout pre-auto-gc post-rewrite sendemail-validate fsmonitor-watchman
  p4-changelist p4-prepare-changelist p4-post-changelist p4-pre-submit post-index-change
`)
