const EXACT = new Set([
  ...[
    'PATH',
    'IFS',
    'ENV',
    'HOME',
    'SHELL',
    'SHELLOPTS',
    'BASHOPTS',
    'CDPATH',
    'GLOBIGNORE',
    'PS4',
    'PROMPT_COMMAND',
  ],
  ...[
    'EXECIGNORE',
    'PWD',
    'OLDPWD',
    'OPTIND',
    'FPATH',
    'ZDOTDIR',
    'TMPDIR',
    'POSIXLY_CORRECT',
    'MALLOC_TRACE',
    'MAGIC',
  ],
  ...[
    'TERMINFO',
    'TERMCAP',
    'LOCPATH',
    'NLSPATH',
    'GCONV_PATH',
    'HOSTALIASES',
    'OPENSSL_CONF',
    'SSLKEYLOGFILE',
    'BROWSER',
  ],
  ...[
    'RIPGREP_CONFIG_PATH',
    'NODE_PATH',
    'MANPATH',
    'VISUAL',
    'MAKEFLAGS',
    'CLASSPATH',
    'GOFLAGS',
    'GOENV',
    'RUSTC_WRAPPER',
  ],
])
const SHAPES = [
  /^(?:LD|DYLD|GIT|BASH|XDG|NPM|npm|CARGO|RUSTUP|SSH|SUDO|COREPACK)_/,
  /^(?:PYTHON|PERL|RUBY|LESS)/,
  /(?:PAGER|EDITOR|ASKPASS|OPTIONS|PRELOAD)$/,
]

/** Whether a variable steers what programs run or load, or how the shell reads the rest of the line. */
export function isDangerousVariable(name: string): boolean {
  return EXACT.has(name) || SHAPES.some((shape) => shape.test(name))
}

/** Whether a variable, set for the shell itself, changes how it reads what follows. */
export function changesReading(name: string): boolean {
  return name.startsWith('LC_') || name === 'LANG'
}
