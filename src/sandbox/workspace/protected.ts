/**
 * What programs outside obey or run without being asked to run the project's code: entering the directory, opening it in an
 * editor, running git, pushing it. Relative to the workspace.
 */
export const protectedInWorkspace: readonly string[] = `
  .vitrine.toml
  .envrc .mise.toml mise.toml
  .vscode .idea .zed .exrc .nvimrc .nvim.lua .dir-locals.el
  .cursor .claude .codex .gemini .opencode opencode.json .mcp.json
  .github/workflows .gitlab-ci.yml .circleci
  .husky .devcontainer .devcontainer.json
`
  .trim()
  .split(/\s+/)

/** Relative to a git directory (gitrepository-layout(5)): git obeys these in every repository that it is run in. */
export const protectedInGit: readonly string[] = [
  'config',
  'config.worktree',
  'hooks',
  'info/attributes',
  'commondir',
]

/** In the directory of a linked worktree (`worktrees/NAME`). */
export const protectedInWorktree: readonly string[] = ['config.worktree', 'commondir', 'gitdir']
