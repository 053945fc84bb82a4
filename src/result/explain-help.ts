/** What there is help for. */
export type Topic = 'vitrine' | 'run' | 'config' | 'doctor'

const exitCodes = `Exit codes:
  the command's own, or 128+n when signal n ended it
  124  timed out
  125  vitrine refused, failed, or ended the command at its output limit
  126  the program is there but cannot be executed
  127  there is no such program`

const texts: Readonly<Record<Topic, string>> = {
  vitrine: `vitrine: a shell that can look but not touch

Usage:
  vitrine run [OPTIONS] -- COMMAND [ARG...]   run a command, read-only by the operating system
  vitrine config show|path|init|trust|schema  the configuration
  vitrine doctor [--json]                     what this host can enforce, found out by trying
  vitrine --version | --help

Examples:
  vitrine run -- git log -5 --oneline         a program and its arguments, no shell
  vitrine run -- 'grep -rn TODO src | wc -l'  one word is a shell line
  vitrine run --write -- npm install          write mode: unsandboxed

"vitrine COMMAND --help" says more.
`,
  run: `vitrine run: run a command in read mode, where the operating system refuses every change

Usage:
  vitrine run [OPTIONS] -- COMMAND [ARG...]

One word after "--" is a line for sh; several are a program and its arguments, run without a shell.
Standard input is passed on unless it is a terminal.

Options:
  --write            write mode: run it unsandboxed
  --timeout TIME     30s, 500ms, 2m, or milliseconds; default: [shell] timeout_ms, 30 s
  --cwd DIR          the directory to run it in; default: the current one
  --network          let TCP and UDP clients through; unix sockets stay shut
  --merged           one stream for both outputs, in the order written
  --scratchpad NAME  save the whole output under this name
  --json             print the result as one JSON object instead of the output
  --config FILE      a config file in place of your own

Examples:
  vitrine run -- ls -la
  vitrine run --timeout 2m --cwd src -- 'rg -l unsafe | sort'
  git diff | vitrine run -- wc -l
  vitrine run --json -- npm ls | jq .exitCode

Interrupt, TERM, HUP and QUIT reach the command; a second interrupt kills it.

${exitCodes}
`,
  config: `vitrine config: the configuration

Usage:
  vitrine config show [--json]   every key with its value and where that comes from
  vitrine config path            the path of your config file
  vitrine config init [FILE]     write a config file that holds every key with its default
  vitrine config trust [FILE]    let a project's .vitrine.toml loosen what you have set; default: those in force here
  vitrine config schema          the JSON schema of config files, for editors

Precedence: flags, VITRINE_SECTION_KEY variables, a project's .vitrine.toml, your own file, defaults.
A project file can only tighten until you trust it; when it changes, the trust ends.

Examples:
  vitrine config init
  VITRINE_SHELL_TIMEOUT_MS=5000 vitrine config show
  vitrine config trust ./.vitrine.toml
`,
  doctor: `vitrine doctor: what this host can enforce

Usage:
  vitrine doctor [--json]

Each right of the host is really tried: once in write mode, to see that the attempt works here, and once in read mode,
where it must change nothing. All of it happens to files, sockets and processes of its own in a temporary directory.

Examples:
  vitrine doctor
  vitrine doctor --json | jq '.rights[] | select(.state != "enforced")'

Exit codes:
  0    read mode enforces everything that could be tried
  1    it does not, or there is no read mode here
  125  the check itself failed
`,
}

export const topics = Object.keys(texts) as readonly Topic[]

/** The help on a command, or on all of it. */
export function helpFor(topic: Topic): string {
  return texts[topic]
}
