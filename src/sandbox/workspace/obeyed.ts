import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { realPath } from '../../base/paths.ts'
import { words } from '../../base/text.ts'
import type { Environment } from '../../base/types.ts'
import type { Looks } from './looks.ts'

/** A place that programs outside of the sandbox obey or run, whatever directory they are started in. */
export interface Obeyed {
  /** Absolute. */
  readonly path: string
  readonly by: string
  /** Only what lies directly in it: programs are searched there, not in what is beneath. */
  readonly isFlat?: true
}

/** Relative to the home directory; a plus stands for a blank. */
const atHome: Readonly<Record<string, string>> = {
  ssh: '.ssh .rhosts .shosts',
  GnuPG: '.gnupg',
  shells: `
    .profile .bash_profile .bash_login .bash_logout .bashrc .bash_aliases .bash_completion .bash_it .oh-my-bash .inputrc
    .zshenv .zprofile .zshrc .zlogin .zlogout .zsh .oh-my-zsh .zprezto .p10k.zsh .kshrc .mkshrc .cshrc .tcshrc .login
    .logout .config/fish .local/share/fish .config/zsh .local/share/zsh .config/bash .local/share/bash-completion
    .config/nushell .config/xonsh .xonshrc .config/elvish .config/powershell .config/starship.toml .config/direnv
    .local/share/direnv .direnvrc .dircolors .lessfilter`,
  PATH: `
    bin .bin .local/bin .local/sbin .cargo/bin go/bin .go/bin .bun/bin .deno/bin .dotnet/tools .foundry/bin .krew/bin
    .local/pipx .local/share/pipx .npm-global .yarn/bin .composer .config/composer .luarocks .opam .ghcup .cabal/bin
    .nix-profile .linuxbrew`,
  'version managers': `
    .pyenv .rbenv .nodenv .goenv .jenv .tfenv .nvm .fnm .local/share/fnm .volta .n .asdf .asdfrc .tool-versions
    .local/share/mise .config/mise .sdkman .rvm .rvmrc .rustup .proto .miniconda3 .miniforge3 .anaconda3 miniconda3
    miniforge3 anaconda3`,
  'desktops and sessions': `
    .config/autostart .config/autostart-scripts .config/systemd .local/share/systemd .config/environment.d
    .pam_environment .xprofile .xinitrc .xsession .xsessionrc .xserverrc .Xresources .Xdefaults .config/user-dirs.dirs
    .config/mimeapps.list .local/share/applications .local/share/dbus-1 .local/share/flatpak .local/share/gnome-shell
    .local/share/nautilus .local/share/nemo .local/share/kio .local/share/plasma .config/plasma-workspace .config/i3 .i3
    .config/sway .config/hypr .config/openbox .config/bspwm .config/awesome .config/waybar .config/polybar .config/sxhkd
    .config/labwc .config/river .config/niri Library/LaunchAgents Library/LaunchDaemons Library/Services Library/Scripts
    Library/QuickLook Library/Spotlight Library/Preferences Library/Application+Support`,
  'git, other version control': `
    .gitconfig .config/git .git-templates .git-template .config/gh .config/hub .config/lazygit .config/tig .tigrc .hgrc
    .config/hg .config/jj .jjconfig.toml .subversion .sapling .config/sapling .config/pre-commit`,
  'package managers, build tools': `
    .npmrc .config/npm .yarnrc .yarnrc.yml .config/yarn .config/pnpm .bunfig.toml .pip .config/pip .pypirc .config/uv
    .config/pypoetry .condarc .gemrc .config/gem .bundle .config/bundler .cargo/config .cargo/config.toml .cargo/env
    .config/go .config/cabal .cabal/config .stack/config.yaml .m2/settings.xml .m2/settings-security.xml
    .m2/extensions.xml .m2/jvm.config .mavenrc .gradle/gradle.properties .gradle/init.d .gradle/init.gradle
    .gradle/init.gradle.kts .sbt .config/NuGet .nuget/NuGet .bazelrc .config/nix .config/nixpkgs .nix-defexpr
    .config/home-manager .config/helm .local/share/helm .vagrant.d .terraformrc .terraform.d .ansible.cfg .ansible/plugins
    .ansible/collections`,
  'interpreters and debuggers': `
    .local/lib .pythonrc .pythonstartup .pdbrc .ipython .config/ipython .jupyter .local/share/jupyter .irbrc .pryrc
    .config/irb .rdbgrc .Rprofile .Renviron .config/R .julia/config .octaverc .ghci .ghc .iex.exs .erlang .gdbinit
    .config/gdb .lldbinit .sqliterc .psqlrc .my.cnf .node_libraries .node_modules node_modules .guile .sbclrc .perldb`,
  editors: `
    .vim .vimrc .gvimrc .exrc .nvimrc .config/vim .config/nvim .local/share/nvim .emacs .emacs.el .emacs.d .config/emacs
    .doom.d .config/doom .spacemacs .config/helix .config/zed .config/Code .vscode .vscode-server .vscode-insiders
    .config/VSCodium .vscode-oss .config/Cursor .cursor-server .config/JetBrains .local/share/JetBrains .ideavimrc
    .config/sublime-text .nanorc .config/nano .config/micro .config/kak .atom`,
  agents: `
    .claude .claude.json .codex .cursor .gemini .qwen .config/opencode .config/crush .config/amp .config/goose .continue
    .aider.conf.yml .copilot .config/github-copilot .codeium .windsurf .kiro .amazonq .aws/amazonq .factory .junie .roo
    .kilocode .cline .pi .openhands .trae .agents .mcp.json`,
  'terminals, pagers and mail': `
    .tmux.conf .tmux .config/tmux .screenrc .config/kitty .config/alacritty .alacritty.toml .config/wezterm .wezterm.lua
    .config/ghostty .config/foot .config/zellij .config/terminator .hyper.js .hyper_plugins .lesskey .config/lesskey
    .config/bat .curlrc .config/curlrc .wgetrc .netrc .config/mpv .config/ranger .config/lf .config/yazi .config/vifm
    .config/mc .mailcap .muttrc .mutt .config/mutt .config/neomutt .forward .procmailrc .fetchmailrc .msmtprc
    .config/msmtp`,
  'containers and clouds': `
    .docker .config/containers .local/share/containers .kube .minikube .aws/config .aws/credentials .aws/cli
    .config/gcloud .azure`,
  browsers: `
    .mozilla .thunderbird .config/google-chrome .config/chromium .config/BraveSoftware .config/microsoft-edge
    .config/vivaldi`,
}

/** `docs/workspace.md` has examples. */
export const obeyedAtHome: readonly (readonly [by: string, names: readonly string[]])[] = Object.entries(
  atHome,
).map(([by, names]) => [by, words(names).map((name) => name.replace('+', ' '))])

/** Agents keep work trees of projects there. */
const workTrees = ['.claude/worktrees', '.codex/worktrees', '.cursor/worktrees']

/** For root, whom permissions do not keep from them. */
const ofTheSystem: readonly (readonly [by: string, paths: readonly string[]])[] = [
  ['cron and at', ['/var/spool/cron', '/var/spool/at']],
  [
    'the system',
    words(`/etc /bin /sbin /lib /lib32 /lib64 /libx32 /boot /usr/bin /usr/sbin /usr/lib /usr/lib32 /usr/lib64 /usr/libexec /usr/local/bin
    /usr/local/sbin /usr/local/lib /usr/local/etc /nix /run/current-system /opt/homebrew /home/linuxbrew /Library /System /Applications`),
  ],
]

const systemParents = new Set(ofTheSystem.flatMap(([, paths]) => paths.map((path) => dirname(path))))

/** Where a variable moves what is looked for at home: `CARGO_HOME` is for `.cargo/`. */
const movedBy: readonly (readonly [variable: string, from: string])[] = [
  ['XDG_CONFIG_HOME', '.config'],
  ['XDG_DATA_HOME', '.local/share'],
  ['CARGO_HOME', '.cargo'],
  ['GNUPGHOME', '.gnupg'],
  ['DOCKER_CONFIG', '.docker'],
  ['CLAUDE_CONFIG_DIR', '.claude'],
  ['CODEX_HOME', '.codex'],
]

/** @param homes real paths: of HOME, and of passwd(5), which ssh and others ask */
export function obeyedPlaces(homes: readonly string[], env: Environment): readonly Obeyed[] {
  const places = obeyedAtHome.flatMap(([by, names]) =>
    names.flatMap((name) =>
      // Not join(), which normalizes each of hundreds.
      [...homes.map((home) => `${home === '/' ? '' : home}/${name}`), ...moved(name, env)].map((path) => ({
        path,
        by,
      })),
    ),
  )
  const system = ofTheSystem.flatMap(([by, paths]) => paths.map((path) => ({ path, by })))
  return [...places, ...system, ...searched(env)]
}

function moved(name: string, env: Environment): readonly string[] {
  return movedBy.flatMap(([variable, from]) => {
    const to = env[variable]
    return isAt(name, from) && to !== undefined && isAbsolute(to) ? [join(to, name.slice(from.length))] : []
  })
}

/** The directories of PATH, without those of the project: npm, npx and virtual environments put them there. */
function searched({ PATH = '' }: Environment): readonly Obeyed[] {
  const directories = PATH.split(':').filter(
    (entry) => isAbsolute(entry) && !/\/node_modules\/\.bin\/*$/.test(entry),
  )
  return [...new Set(directories.map((entry) => resolve(entry)))].map((path) => ({
    path,
    by: 'PATH',
    isFlat: true,
  }))
}

/** As isBeneath, of normalized paths: there are hundreds of places. */
function isAt(inner: string, outer: string): boolean {
  return inner === outer || inner.startsWith(outer === '/' ? outer : `${outer}/`)
}

/** The place that a path is, or lies in. */
export function obeyedAround(path: string, places: readonly Obeyed[]): Obeyed | undefined {
  if (workTrees.some((name) => path.includes(`/${name}/`))) return undefined
  return places.find((place) => (place.isFlat ? path === place.path : isAt(path, place.path)))
}

/** Whether a directory is, or holds, such a place. */
export function holdsObeyed(directory: string, places: readonly Obeyed[]): boolean {
  return places.some(({ path }) => isAt(path, directory))
}

/** Directories of PATH do not count in the workspace: a virtual environment is there. */
function countedIn(workspace: string, places: readonly Obeyed[]): readonly string[] {
  return places.filter(({ path, isFlat }) => !(isFlat && isAt(path, workspace))).map(({ path }) => path)
}

/**
 * The places in the roots, and those in the roots that links lead to.
 * @param linked of linkedPlaces
 */
export function obeyedIn(
  roots: readonly [string, ...string[]],
  places: readonly Obeyed[],
  linked: readonly string[],
): readonly string[] {
  const isIn = (path: string) => roots.some((root) => path !== root && isAt(path, root))
  return [...new Set([...countedIn(roots[0], places), ...linked].filter(isIn))]
}

/** Where links lead, as tools make them that keep such files in a repository. Absent directories are not asked about. */
export function linkedPlaces(workspace: string, places: readonly Obeyed[], looks: Looks): readonly string[] {
  const paths = countedIn(workspace, places).filter((path) => !systemParents.has(dirname(path)))
  const parents = new Set(paths.map((path) => dirname(path)))
  const real = new Map<string, string>()
  for (const parent of [...parents].sort()) {
    const above = dirname(parent)
    const isThere = real.has(above) && looks.entries(above)?.has(basename(parent))
    if (parents.has(above) && !isThere) continue
    const found = looks.entries(parent) && realPath(parent)
    if (found !== undefined) real.set(parent, found)
  }
  return paths.flatMap((path) => {
    const parent = real.get(dirname(path))
    if (parent === undefined) return []
    const isLink = looks.entries(dirname(path))?.get(basename(path))?.isSymbolicLink()
    if (parent === dirname(path) && !isLink) return []
    return [realPath(path) ?? join(parent, basename(path))]
  })
}
