import { words } from '../../base/text.ts'

function inGroups(groups: Readonly<Record<string, string>>): readonly string[] {
  return Object.values(groups).flatMap(words)
}

/** A plus stands for a blank. */
function wordsWithBlanks(text: string): readonly string[] {
  return words(text).map((word) => word.replaceAll('+', ' '))
}

/** What `unreadable = "secrets"` stands for. Add to it here only; docs/security/reads.md describes it in words. */
export const secrets = {
  /** In the home directory. */
  home: inGroups({
    Keys: '.ssh .gnupg .putty .age .pki .password-store .vault-token .chef',
    'Clouds and clusters': `
      .aws .azure .oci .kube .talos .boto .s3cfg .docker/config.json .terraformrc .databrickscfg .snowsql
      .snowflake .aliyun/config.json .bluemix .pulumi/credentials.json .argocd/config .minikube .tsh
      .alibabacloud .cloudflared .cloudflare-warp cloudflare-warp .ngrok2 .wireguard
      .terraform.d/credentials.tfrc.json .fly .railway .supabase .wrangler/config .doppler`,
    'Registries and forges': `
      .netrc _netrc .npmrc .yarnrc.yml .pypirc .git-credentials .gem/credentials .pip/pip.conf .sentryclirc
      .circleci/cli.yml .clasprc.json .netlify/config.json .subversion/auth .cargo/credentials
      .cargo/credentials.toml .m2/settings.xml .m2/settings-security.xml .gradle/gradle.properties
      .nuget/NuGet/NuGet.Config .composer/auth.json .bundle/config`,
    'Agents and models': `
      .claude.json .claude/.credentials.json .codex/auth.json .gemini/oauth_creds.json .huggingface .kaggle
      .cursor/mcp.json .continue .aider .aider.conf.yml`,
    // tokens of extensions are in or next to state.vscdb
    Editors: `
      .vscode-server/data/User/globalStorage .cursor-server/data/User/globalStorage
      .vscode-shared/sharedStorage .vscode-insiders-shared/sharedStorage`,
    'Databases, mail, other machines': `
      .pgpass .my.cnf .mylogin.cnf .msmtprc .mbsyncrc .fetchmailrc .authinfo .smbcredentials .filezilla
      .Xauthority .ICEauthority`,
    'Browsers and messengers': `
      .mozilla .librewolf .thunderbird .opera snap/firefox snap/chromium snap/thunderbird .weechat
      .var/app/org.mozilla.firefox .var/app/com.google.Chrome .var/app/org.chromium.Chromium
      .var/app/com.brave.Browser .var/app/org.mozilla.Thunderbird`,
    Wallets: '.bitcoin .ethereum .electrum',
    'Histories of what was typed': `
      .bash_history .zsh_history .zhistory .histfile .sh_history .ash_history .history .python_history
      .node_repl_history .psql_history .mysql_history .sqlite_history .rediscli_history .irb_history
      .viminfo .lesshst .dbshell .mongodb/mongosh .ipython/profile_default/history.sqlite
      .claude/history.jsonl .codex/history.jsonl`,
  }),
  /** In $XDG_CONFIG_HOME, by default ~/.config. */
  config: wordsWithBlanks(`
    gcloud doctl hcloud rclone containers/auth.json git/credentials gh/hosts.yml glab-cli hub op 1Password
    Bitwarden keepassxc sops age pypoetry/auth.toml composer/auth.json netlify stripe .wrangler doppler
    solana github-copilot anthropic openai filezilla remmina syncthing nushell/history.txt google-chrome
    google-chrome-beta chromium BraveSoftware microsoft-edge vivaldi opera Slack discord Signal Element
    helm/registry configstore/firebase-tools.json scw argocd ngrok wireguard weechat goose/secrets.yaml
    cursor/auth.json circleci/config.yml Antigravity/User/globalStorage io.datasette.llm/keys.json
    Code/User/globalStorage VSCodium/User/globalStorage Cursor/User/globalStorage
    Windsurf/User/globalStorage pip/pip.conf snowflake zsh/.zsh_history google-chrome-unstable Bitwarden+CLI
    Code+-+Insiders/User/globalStorage Code+-+OSS/User/globalStorage`),
  /** In $XDG_DATA_HOME, by default ~/.local/share. */
  data: words(`
    keyrings kwalletd password-store gnupg fish/fish_history atuin zsh/history powershell/PSReadLine
    gem/credentials com.vercel.cli TelegramDesktop jupyter/runtime opencode/auth.json opencode/mcp-auth.json
    weechat`),
  /** In $XDG_STATE_HOME, by default ~/.local/state. */
  state: words('python_history bash/history zsh/history nvim/shada syncthing vitrine/sessions'),
  /** In $XDG_CACHE_HOME, by default ~/.cache. */
  cache: ['huggingface/token', 'huggingface/stored_tokens'],
  /** On macOS, in the home directory. */
  macHome: wordsWithBlanks(`
    Library/Keychains Library/Cookies Library/Safari Library/Preferences/gcloud
    Library/Application+Support/Firefox Library/Application+Support/Google/Chrome
    Library/Application+Support/BraveSoftware Library/Application+Support/Microsoft+Edge
    Library/Application+Support/Slack Library/Application+Support/1Password
    Library/Application+Support/Code/User/globalStorage Library/Application+Support/Cursor/User/globalStorage
    Library/Application+Support/Antigravity/User/globalStorage Library/Application+Support/io.datasette.llm/keys.json
    Library/Application+Support/ngrok Library/Application+Support/Syncthing`),
  /** Variables that move one; after "/" the part or parts of that directory. Several paths with ":". */
  variables: {
    ...Object.fromEntries(
      words(`
      GNUPGHOME AWS_SHARED_CREDENTIALS_FILE AWS_CONFIG_FILE AZURE_CONFIG_DIR
      GOOGLE_APPLICATION_CREDENTIALS CLOUDSDK_CONFIG OCI_CLI_CONFIG_FILE KUBECONFIG TALOSCONFIG
      TF_CLI_CONFIG_FILE NETRC NPM_CONFIG_USERCONFIG PASSWORD_STORE_DIR GLAB_CONFIG_DIR RCLONE_CONFIG
      SOPS_AGE_KEY_FILE ANSIBLE_VAULT_PASSWORD_FILE PGPASSFILE BOTO_CONFIG SCW_CONFIG_PATH TELEPORT_HOME
      WEECHAT_HOME STHOMEDIR STCONFDIR HF_TOKEN_PATH HISTFILE XAUTHORITY`).map((name) => [name, '']),
    ),
    DOCKER_CONFIG: '/config.json',
    CARGO_HOME: '/credentials.toml',
    GH_CONFIG_DIR: '/hosts.yml',
    PULUMI_HOME: '/credentials.json',
    PULUMI_CREDENTIALS_PATH: '/credentials.json',
    ARGOCD_CONFIG_DIR: '/config',
    BLUEMIX_HOME: '/.bluemix',
    IBMCLOUD_HOME: '/.bluemix',
    // It names either that directory or its parent.
    MINIKUBE_HOME: ['/.minikube', '/ca.key', '/certs', '/machines', '/profiles', '/proxy-client-ca.key'],
    LLM_USER_PATH: '/keys.json',
    CONTINUE_GLOBAL_DIR: '',
  },
  /** Of the machine: kept unreadable for root, and for other users where they could read it. */
  system: words(`
    /etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow- /etc/sudoers /etc/sudoers.d
    /etc/ssh/ssh_host_rsa_key /etc/ssh/ssh_host_ecdsa_key /etc/ssh/ssh_host_ed25519_key /etc/ssl/private
    /etc/pki/tls/private /etc/letsencrypt /etc/krb5.keytab /etc/wireguard /usr/local/etc/wireguard
    /opt/homebrew/etc/wireguard /etc/cloudflared /usr/local/etc/cloudflared /etc/NetworkManager/system-connections /etc/wpa_supplicant
    /etc/rancher /etc/kubernetes /var/lib/secrets /var/lib/kubelet /var/lib/systemd/credential.secret`),
  /** Kept unreadable for every user: everyone in a container can read its secrets. */
  shared: words('/run/secrets /run/credentials /run/agenix'),
  /** Files in the workspace. */
  names: {
    patterns: words('.env .env.* .envrc .dev.vars .dev.vars.* .npmrc .sentryclirc'),
    except: words('*.example *.sample *.template *.dist *.defaults *.schema *.md *.d.ts'),
    /** Other people's files, or too many. */
    skip: words('node_modules .git .hg .svn .venv venv .tox __pycache__ target .cache'),
  },
} as const

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
  home: inGroups({
    'Node, Bun, Deno': `
      .nvm .fnm .volta .n .npm-global .nodenv .bun .deno .yarn .config/yarn .local/share/fnm
      .local/share/pnpm .cache/node .cache/deno .npm/_cacache`,
    Python: `
      .pyenv .conda miniconda3 anaconda3 miniforge3 mambaforge .virtualenvs .rye .local/lib .local/share/uv
      .local/share/pipx .local/pipx .cache/uv .cache/pip`,
    'Ruby, PHP, Perl': `
      .rbenv .rvm .gem/ruby .local/share/gem/ruby .composer/vendor .config/composer/vendor perl5 .plenv`,
    'Go, Rust, Zig': `
      go .goenv sdk .cache/go-build .cargo/bin .cargo/registry .cargo/git .cargo/env .cargo/config
      .cargo/config.toml .rustup .zvm .cache/zig`,
    'Java, Scala, Kotlin, Android, .NET, Flutter': `
      .sdkman .jenv .jabba .jdks .m2/repository .m2/wrapper .gradle/caches .gradle/wrapper .gradle/jdks
      .ivy2/cache .sbt .coursier .cache/coursier Android/Sdk .android/avd .dotnet .nuget/packages flutter
      .pub-cache`,
    'Haskell, OCaml, Elixir, Erlang, Julia, Lean, Swift': `
      .ghcup .cabal/bin .cabal/packages .cabal/store .stack/programs .stack/snapshots .opam .asdf .kerl .mix
      .hex/packages .julia .elan .swiftly`,
    'For all of them': `
      .local/bin .local/share/mise .local/share/rtx .proto .linuxbrew .nix-profile .local/state/nix
      .cache/pre-commit .gitconfig .gitignore .gitignore_global .gitattributes .config/git .config/mise
      .config/pip .config/ripgrep .terminfo`,
  }),
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
