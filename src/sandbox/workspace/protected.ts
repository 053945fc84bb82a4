import { words } from '../../base/text.ts'

/**
 * What programs outside obey or run without being asked to run the project's code: entering the directory, opening it in an
 * editor, running git, pushing it. Relative to the workspace.
 */
export const protectedInWorkspace: readonly string[] = words(`
  .vitrine.toml
  .envrc .mise.toml mise.toml .mise.local.toml mise.local.toml .mise mise/config.toml mise/config.local.toml mise/conf.d
  .config/mise.toml .config/mise.local.toml .config/mise .miserc.toml .rtx.toml .rtx.local.toml .tool-versions
  .sdkmanrc .prototools .shadowenv.d .rvmrc
  .vscode .idea .zed .helix .fleet .exrc .vimrc .gvimrc .vim .nvimrc .nvim.lua .dir-locals.el .dir-locals-2.el .kateproject
  .cursor .claude .codex .gemini .qwen .opencode opencode.json opencode.jsonc .opencode.json .mcp.json
  .github/hooks .github/extensions .github/agents .github/copilot .windsurf .kiro .amp .factory .junie .roo .kilocode .clinerules
  .continue .amazonq .crush .crush.json crush.json .aider.conf.yml .openhands .trae .pi .agents
  .github/workflows .gitlab-ci.yml .circleci .forgejo/workflows .gitea/workflows .travis.yml .woodpecker .woodpecker.yml
  .buildkite azure-pipelines.yml bitbucket-pipelines.yml Jenkinsfile
  .husky .hg/hgrc .hg/hgrc-not-shared .hg/sharedpath .jj/repo/config.toml .jj/workspace-config.toml
  .devcontainer .devcontainer.json
`)

/** vitrine in a project, only if it exists: protecting an absent one would slow down everything in `node_modules`. */
export const ownPrograms: readonly string[] = ['node_modules/vitrine', 'node_modules/.bin/vitrine']

/** Relative to a git directory (gitrepository-layout(5)): git obeys these in every repository that it is run in. */
export const protectedInGit: readonly string[] = words(
  'config config.worktree hooks info/attributes commondir remotes branches',
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
