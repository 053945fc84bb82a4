import { words } from '../../base/text.ts'

/** Readable besides the workspace. Add to it here only; docs/security/reads.md describes it. */
export const readablePlaces = {
  /** Programs, libraries, configuration and data of the system; entries that do not exist are ignored. */
  system: words(`
    /usr /bin /sbin /lib /lib32 /lib64 /libx32 /etc /opt /proc /sys /nix /gnu /snap /run/current-system
    /run/wrappers /run/systemd/resolve /run/resolvconf /run/NetworkManager/resolv.conf /run/utmp
    /home/linuxbrew/.linuxbrew /var/lib/dpkg /var/lib/apt /var/lib/rpm /var/lib/pacman /var/lib/apk
    /var/lib/alternatives /var/lib/snapd /var/lib/flatpak /var/lib/locales /var/lib/ghc /var/lib/gems
    /var/cache/man /var/cache/fontconfig /var/cache/ldconfig /var/cache/apt /var/db`),
  /** Homes of toolchains and settings without secrets, in the home directory. */
  home: [
    // Node, Bun, Deno
    ...words(`
      .nvm .fnm .volta .n .npm-global .nodenv .bun .deno .yarn .config/yarn .local/share/fnm .local/share/pnpm
      .cache/node .cache/deno .npm/_cacache`),
    // Python
    ...words(`
      .pyenv .conda miniconda3 anaconda3 miniforge3 mambaforge .virtualenvs .rye .local/lib .local/share/uv
      .local/share/pipx .local/pipx .cache/uv .cache/pip`),
    // Ruby, PHP, Perl
    ...words(`
      .rbenv .rvm .gem/ruby .local/share/gem/ruby .composer/vendor .config/composer/vendor perl5 .plenv`),
    // Go, Rust, Zig
    ...words(`
      go .goenv sdk .cache/go-build .cargo/bin .cargo/registry .cargo/git .cargo/env .cargo/config
      .cargo/config.toml .rustup .zvm .cache/zig`),
    // Java, Scala, Kotlin, Android, .NET, Flutter
    ...words(`
      .sdkman .jenv .jabba .jdks .m2/repository .m2/wrapper .gradle/caches .gradle/wrapper .gradle/jdks
      .ivy2/cache .sbt .coursier .cache/coursier Android/Sdk .android/avd .dotnet .nuget/packages flutter
      .pub-cache`),
    // Haskell, OCaml, Elixir, Erlang, Julia, Lean, Swift
    ...words(`
      .ghcup .cabal/bin .cabal/packages .cabal/store .stack/programs .stack/snapshots .opam .asdf .kerl .mix
      .hex/packages .julia .elan .swiftly`),
    // For all of them
    ...words(`
      .local/bin .local/share/mise .local/share/rtx .proto .linuxbrew .nix-profile .local/state/nix
      .cache/pre-commit .gitconfig .gitignore .gitignore_global .gitattributes .config/git .config/mise
      .config/pip .config/ripgrep .terminfo`),
  ],
  /** Homes of toolchains named by a variable; after "/" the parts that hold no secrets. */
  variables: {
    ...Object.fromEntries(
      words(`
      ANDROID_HOME ANDROID_SDK_ROOT BUN_INSTALL CONDA_PREFIX COREPACK_HOME DENO_DIR DOTNET_ROOT FNM_DIR
      GEM_HOME GOCACHE GOMODCACHE GOPATH GOROOT GRADLE_HOME JAVA_HOME M2_HOME MAVEN_HOME NVM_DIR PIPX_HOME
      PNPM_HOME PYENV_ROOT RBENV_ROOT RUSTUP_HOME SDKMAN_DIR UV_CACHE_DIR VIRTUAL_ENV VOLTA_HOME`).map(
        (name) => [name, ['']],
      ),
    ),
    CARGO_HOME: ['/bin', '/registry', '/git', '/config.toml', '/env'],
    GRADLE_USER_HOME: ['/caches', '/wrapper', '/jdks'],
  },
  /** Hold more than a toolchain: a program in their bin opens only that bin. */
  shared: words('.local .cargo .config .gradle .m2 .docker .kube .composer snap'),
} as const
