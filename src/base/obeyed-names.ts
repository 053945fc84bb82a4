import { words } from './text.ts'
import type { HandoffKind } from './types.ts'

/** What programs outside obey, or run without being asked to run the project's code, and which program that is. */
interface ObeyedNames {
  readonly names: readonly string[]
  readonly kind: HandoffKind
  readonly by: string
  /** Only told as handoffs, never protected; or protected only where it exists. Default: protected. */
  readonly only?: 'told' | 'existing'
}

function row(names: string, kind: HandoffKind, by: string, only?: ObeyedNames['only']): ObeyedNames {
  return { names: words(names), kind, by, ...(only && { only }) }
}

/**
 * Relative to the workspace, where they are protected; elsewhere in it they are handoffs. `*.suffix` stands for all such names. Entering
 * the directory, opening it in an editor, starting a program in it, running git, pushing it: none of these asks first.
 */
const obeyed: readonly ObeyedNames[] = [
  row('.vitrine.toml', 'settings', 'vitrine'),
  row('.envrc', 'environment', 'direnv'),
  row('.mise.toml mise.toml .mise.local.toml mise.local.toml .mise mise/config.toml', 'environment', 'mise'),
  row('mise/config.local.toml mise/conf.d .config/mise.toml .config/mise.local.toml', 'environment', 'mise'),
  row('.config/mise .miserc.toml .rtx.toml .rtx.local.toml', 'environment', 'mise'),
  row('.tool-versions', 'environment', 'asdf and mise'),
  row('.sdkmanrc .prototools .shadowenv.d .rvmrc', 'environment', 'SDKMAN, proto, shadowenv, RVM'),
  row('.autoenv.zsh', 'environment', 'zsh-autoenv'),
  row('bin/activate-hermit', 'environment', 'Hermit', 'existing'),
  row('.Rprofile .Renviron', 'settings', 'R'),
  row('.octaverc', 'settings', 'Octave'),
  row('.ghci', 'settings', 'GHCi'),
  row('.iex.exs', 'settings', 'IEx'),
  row('.pryrc .irbrc', 'settings', 'Pry, IRB'),
  row('.vscode', 'editor', 'Visual Studio Code'),
  row('*.code-workspace', 'editor', 'Visual Studio Code', 'existing'),
  row('.theia', 'editor', 'Theia'),
  row('.idea', 'editor', 'JetBrains IDEs'),
  row('.zed', 'editor', 'Zed'),
  row('.nova', 'editor', 'Nova'),
  row('*.sublime-project', 'editor', 'Sublime Text', 'existing'),
  row('.helix .fleet', 'editor', 'Helix, Fleet'),
  row('.exrc .vimrc .gvimrc .vim .nvimrc .nvim.lua', 'editor', 'Vim and Neovim'),
  row('.dir-locals.el .dir-locals-2.el', 'editor', 'Emacs'),
  row('.kateproject', 'editor', 'Kate'),
  row('.cursor', 'agent', 'Cursor'),
  row('.claude', 'agent', 'Claude Code'),
  row('.codex', 'agent', 'Codex'),
  row('.gemini .qwen', 'agent', 'Gemini CLI, Qwen Code'),
  row('.opencode opencode.json opencode.jsonc .opencode.json', 'agent', 'opencode'),
  row('.mcp.json', 'agent', 'MCP clients'),
  row('.github/hooks .github/extensions .github/agents .github/copilot', 'agent', 'Copilot'),
  row('.windsurf .kiro .amp .factory .junie', 'agent', 'Windsurf, Kiro, Amp, Factory, Junie'),
  row('.roo .kilocode .clinerules .continue', 'agent', 'Roo, Kilo, Cline, Continue'),
  row('.amazonq .crush .crush.json crush.json .aider.conf.yml', 'agent', 'Amazon Q, Crush, Aider'),
  row('.openhands .trae .pi .agents', 'agent', 'OpenHands, Trae, Pi and others'),
  row('.github/workflows', 'ci', 'GitHub, Gitea and Forgejo'),
  row('.gitlab-ci.yml .circleci .forgejo/workflows .gitea/workflows .travis.yml', 'ci', 'the forge'),
  row('.woodpecker .woodpecker.yml .woodpecker.yaml .drone.yml .cirrus.yml', 'ci', 'the forge'),
  row('appveyor.yml .appveyor.yml .build.yml .builds .teamcity', 'ci', 'the forge'),
  row('.buildkite buildkite.yml azure-pipelines.yml bitbucket-pipelines.yml Jenkinsfile', 'ci', 'the forge'),
  row('.husky', 'hook', 'git'),
  row('.hg/hgrc .hg/hgrc-not-shared .hg/sharedpath', 'settings', 'Mercurial'),
  row('.jj/repo/config.toml .jj/workspace-config.toml', 'settings', 'Jujutsu'),
  row('.sl/config .pijul/config', 'settings', 'Sapling, Pijul'),
  row('.devcontainer .devcontainer.json', 'container', 'editors'),
  row('package.json', 'script', 'npm, pnpm, Yarn and Bun', 'told'),
]

/** What the launcher looks for in the paths of calls, a line each. */
export const noticedNames = obeyed
  .flatMap(({ names }) => names)
  .join('\n')
  .toLowerCase()

/** The row, and the path up to the name, by which a path beneath a root is obeyed. */
export function obeyedAt(rest: string): { readonly row: ObeyedNames; readonly name: string } | undefined {
  const parts = rest.split('/')
  for (const [at, part] of parts.entries()) {
    if (part === 'node_modules') return undefined
    const beneath = parts.slice(at).join('/').toLowerCase()
    const row = obeyed.find(({ names }) => names.some((name) => leadsThrough(beneath, name.toLowerCase())))
    if (row) return { row, name: parts.slice(0, at).join('/') }
  }
  return undefined
}

function leadsThrough(path: string, name: string): boolean {
  if (name.startsWith('*'))
    return !path.includes('/') && path.endsWith(name.slice(1)) && path !== name.slice(1)
  return path === name || path.startsWith(`${name}/`)
}

/** Relative to the workspace; the table has the reasons. */
export const protectedInWorkspace: readonly string[] = obeyed.flatMap(({ names, only }) =>
  only ? [] : names,
)

/** The protected name that a path beneath a workspace has, or leads through. */
export function protectedNameAt(rest: string): string | undefined {
  return protectedInWorkspace.find((name) => leadsThrough(rest.toLowerCase(), name.toLowerCase()))
}

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
