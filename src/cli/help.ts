import { didYouMean, nearestKey } from '../base/did-you-mean.ts'
import { quoted, visible } from '../base/text.ts'
import { clientTopics } from './clients/help.ts'
import { packageVersion, print, refuse } from './output.ts'
import { keptTopics } from './topics.ts'

/** What options mean, in every command that has them. */
const options = `
  --mode MODE        read; workspace: the operating system confines changes to the workspace; write: unsandboxed;
                     default: [shell] mode
  --write            the same as --mode write
  --timeout TIME     30s, 500ms, 2m, or milliseconds; default: [shell] timeout_ms, 30 s; at most max_timeout_ms, 10 min
  --cwd DIR          the working directory; default: the current one
  --env NAME[=TEXT]  set a variable, or pass on yours; can be repeated
  --shell SHELL      sh, bash or the path of a shell, which reads a line; default: [shell] program, which is sh
  --ask              ask you at the terminal when the policy requires approval
  --each             each word after "--" is a separate line; they run in order until one fails
  --keep-going       with --each: continue after a line that fails
  --workspace DIR    the directory of workspace mode; default: the git repository, else the current directory
  --network          read and workspace mode: allow TCP and UDP clients; others' unix sockets stay refused
  --allow-host HOST  allow TCP to HOST[:PORT] or *.HOST[:PORT]; can be repeated (docs/network.md)
  --private-tmp      read mode: give commands a private, writable TMPDIR, as in workspace mode, removed afterwards
  --backend BACKEND  local, or docker (in a container); default: [shell] backend, which is local
  --merged           merge stdout and stderr into one stream, in the order written
  --pty              give the command its own terminal, shown in yours (Linux)
  --scratchpad NAME  save the complete output under this name
  --background       leave it running and print its id, for "vitrine logs" and "stop"; no deadline but --timeout (Linux)
  --owner PID        with --background: the process with which it ends; default: the leader of this session, your shell
  --config FILE      use this config file instead of your own`.split(/\n(?= {2}--)/)

/** Their lines, in the order of the table. */
function lines(names: string): string {
  return options.filter((line) => names.split(' ').includes(/--([a-z-]+)/.exec(line)?.[1] ?? '')).join('\n')
}

const exitCodes = `Exit codes:
  the command's own, or 128+n when signal n ended it
  124  timed out
  125  vitrine refused, failed, or ended the command at its output limit
  126  the program exists but cannot be executed
  127  the program was not found
  137  killed by SIGKILL, or at a limit of [limits] (named on stderr)`

const topics: Readonly<Record<string, string>> = {
  vitrine: `vitrine: a shell that can look but not touch

Usage:
  vitrine run [OPTIONS] -- COMMAND [ARG...]   run a command that the OS makes read-only
  vitrine shell [OPTIONS]                     your own shell, held as a mode says
  vitrine policy check -- COMMAND [ARG...]    show the policy's decision about a command, and why
  vitrine policy list                         list the rules in force
  vitrine config show|path|init|trust|schema  show and manage the configuration
  vitrine mcp [OPTIONS]                       serve commands to an agent (Model Context Protocol)
  vitrine mcp install CLIENT                  add that server to a client's configuration
  vitrine attach CLIENT                       hold an AI client's own shell and file tools; "detach" undoes it
  vitrine scratchpad list|show NAME|clear     show or remove saved outputs
  vitrine ps | logs ID | stop ID              commands that "run --background" has left running
  vitrine docker build|status|clean           manage the image and containers of the docker backend
  vitrine doctor [--json]                     test what this host can enforce
  vitrine completion bash|zsh|fish            print a completion script for your shell
  vitrine help [COMMAND] | --version          also --help, -h, -v

Examples:
  vitrine run -- git log -5 --oneline         a program and its arguments, without a shell
  vitrine run -- 'grep -rn TODO src | wc -l'  one word is a shell line
  vitrine run --mode workspace -- npm test    changes stay in the workspace
  vitrine run --write --ask -- npm install    write mode: unsandboxed, after asking you

"vitrine help COMMAND" shows more.
`,
  run: `vitrine run: run a command in read mode, where the operating system refuses every change, or in another mode

Usage:
  vitrine run [OPTIONS] -- COMMAND [ARG...]

One word after "--" is a line for sh (or --shell); several words are a program and its arguments, without a shell.
The command gets vitrine's standard input unless that is a terminal. In a loop over the lines of a pipe, add </dev/null.

Options:
${options.slice(1).join('\n')}
  --json             print the result as one JSON object instead of the output (docs/run-json.md);
                     --json=full has every field of the library's result

Examples:
  vitrine run -- ls -la
  vitrine run --timeout 2m --cwd src -- 'rg -l unsafe | sort'
  git diff | vitrine run -- wc -l
  vitrine run --json -- npm ls | jq .exitCode
  vitrine run --write --ask --each -- 'npm ci' 'npm test'

With --each the policy decides about all lines before the first one starts; the exit code is that of the first line that failed.

With --pty your input goes to the command, including Ctrl+C and Ctrl+Z, and the timeout still applies (--timeout 10m).
Standard input and output must be your terminal.

With --ask lines of the safe list run held in read mode, at once; their output comes at their end. Where they are refused something,
and for all others, a single key answers: y, n, a (all this session), s (this command this session). Enter, Escape, Ctrl+C, no terminal
and no answer before the timeout mean no: exit code 125, or that of the held run. Without --ask, [policy] unattended decides; by
default every line runs unsandboxed. "vitrine policy check" shows which commands need approval.

SIGINT, SIGTERM, SIGHUP and SIGQUIT are passed to the command; a second SIGINT or SIGTERM kills it.

${exitCodes}
`,
  shell: `vitrine shell: your own shell, in read mode or another one

Usage:
  vitrine shell [OPTIONS]

Starts $SHELL, else sh, in a terminal of its own, shown in yours (Linux, local backend). It and all that it starts are held as the
mode says, until you leave it; to switch the mode, leave it and start another one. At its end stderr names what was refused.
No deadline ends it. The policy decides about the shell, not about what you type in it.
If standard input is not a terminal, the shell reads it as a script.

Options:
${lines('mode write cwd ask workspace network allow-host private-tmp backend config')}

The docker backend gives its sh no terminal: it runs only a script.

Examples:
  vitrine shell --mode workspace

${exitCodes}
`,
  policy: `vitrine policy: the decision about a command, and the rules behind it

Usage:
  vitrine policy check [OPTIONS] -- COMMAND [ARG...]  show each simple command, its rule, and why
  vitrine policy list [--config FILE] [--cwd DIR] [--json]  list every rule and its source

As for "vitrine run", one word after "--" is a line for sh; several words are a program and its arguments. Nothing runs.

Options of check:
${lines('mode write cwd backend shell config')}
  --json             print the decision as one JSON object: verdict, held, reason, matches

Examples:
  vitrine policy check --write -- 'git status; git push'

Exit codes of check:
  0    allow
  1    ask
  2    deny
  125  no decision: the command is missing or empty, or the configuration is not valid
`,
  config: `vitrine config: the configuration

Usage:
  vitrine config show [--config FILE] [--cwd DIR] [--json]  show every key with its value and source
  vitrine config path            print the path of your config file
  vitrine config init [FILE]     write a config file with every key and its default, commented out
  vitrine config trust [FILE]    let a project's .vitrine.toml loosen your settings; default: the files in force here
  vitrine config schema          print the JSON schema of config files, for editors

Precedence: flags, VITRINE_SECTION_KEY variables, a project's .vitrine.toml, your own file, defaults.
A project file can only tighten settings until you trust it; a change of the file ends the trust.

Examples:
  vitrine config init
  VITRINE_SHELL_TIMEOUT_MS=5000 vitrine config show
`,
  mcp: `vitrine mcp: serve commands to an agent (Model Context Protocol)

Usage:
  vitrine mcp [OPTIONS]                   serve on standard input and output
  vitrine mcp --http [HOST:]PORT          serve over HTTP; port 0: any free port
  vitrine mcp install CLIENT [--print | --write]  print the entry for a client (default), or add it to its configuration

Clients: claude, codex, gemini, cursor, vscode, opencode.

Options:
  --mode MODES       read, workspace and write, separated by commas (read,workspace); both means read,write;
                     default: [shell] mode
  --tool-per-mode    a tool for each mode, not one with a parameter: for clients whose users allow tools by name; "install"
                     writes it
  --approve WHO      who approves commands: client (default; it has asked its user), elicit (vitrine asks the user through
                     the client) or none ([policy] unattended decides)
${lines('network allow-host shell private-tmp backend workspace cwd config')}
  --files            also offer read_file, write_file and edit_file, held as the commands of their mode are
  --structured       return structured results in addition to text
  --http ADDRESS     127.0.0.1 unless a host is given; clients must send a token: VITRINE_TOKEN,
                     one of [http] tokens, or the one that is printed

"install" takes --mode, --approve, --files, --shell, --network, --allow-host, --private-tmp and --backend for the server in the entry.

Examples:
  vitrine mcp install cursor --mode both --approve elicit --write
  VITRINE_TOKEN=$(cat token) vitrine mcp --http 8080

SIGINT, SIGTERM and SIGHUP end the server and kill running commands; over HTTP the first signal waits for them.
`,
  ...clientTopics,
  ...keptTopics,
  docker: `vitrine docker: the image and the containers of the docker backend

Usage:
  vitrine docker build [--json]   build vitrine's own image, which [docker] image = "" uses
  vitrine docker status [--json]  show engine, image, and the containers of every running vitrine
  vitrine docker clean [--json]   remove containers whose vitrine process is gone, and nothing else

With [shell] backend = "docker", or --backend docker, commands run in a container that mounts the workspace and nothing
else of this machine: read-only in read mode, writable in workspace and write mode. [docker] configures it; see docs/docker.md.
vitrine never pulls or builds an image on its own. DOCKER_HOST selects a socket other than the usual ones.

Examples:
  vitrine docker build
  vitrine run --backend docker -- 'grep -rn TODO . | head'

Exit codes:
  0    built, cleaned; status: engine and image are available
  1    status: one of them is missing
  125  the engine could not be reached, or refused
`,
  doctor: `vitrine doctor: what this host can enforce

Usage:
  vitrine doctor [--json] [--backend docker]

  --json             print one object (docs/doctor.md)
  --backend BACKEND  docker: also report engine and image; default: [shell] backend

Doctor tries each right of the host: once in write mode, to verify that the attempt works here, and once in read mode,
where it must change nothing; what only workspace mode refuses is tried in that mode. It uses its own files, sockets and
processes in a temporary directory. Below the table it names what weakens these modes on this system (an old kernel, a
filter around the process, Yama), and what to do about it. It changes nothing itself.

Examples:
  vitrine doctor
  vitrine doctor --json | jq '.rights[] | select(.state != "enforced")'

Exit codes:
  0    read mode enforces everything that could be tested
  1    it does not, it is not available, or nothing could be tested
  125  the check itself failed
`,
  completion: `vitrine completion: let your shell complete commands, options and their values

Usage:
  vitrine completion bash|zsh|fish             print the script for that shell
  vitrine completion candidates -- [WORD...]   print candidates for the last word (for that script)

Examples:
  eval "$(vitrine completion bash)"            in ~/.bashrc
  eval "$(vitrine completion zsh)"             in ~/.zshrc, after compinit
  vitrine completion fish >~/.config/fish/completions/vitrine.fish

After "--" your shell completes the command to run as it does without vitrine.
`,
}

/** The help's description of an option or subcommand of a command; empty if there is none. */
export function describedIn([first = 'vitrine', ...more]: readonly string[], word: string): string {
  const behind = ['vitrine', first, ...more].join(' ').replace('vitrine vitrine', 'vitrine')
  const line = word.startsWith('-') ? `${word}(?: [A-Z[=\\]]+)?` : `${behind} ${word}\\b.*?`
  return new RegExp(`^ {2}${line} {2,}(.+)$`, 'm').exec(topics[first] ?? '')?.[1] ?? ''
}

/** Prints what the words ask for. */
export async function help(
  name: string | undefined,
  args: readonly string[],
  commands: readonly string[],
): Promise<number> {
  if (['--version', '-V', '-v'].includes(name ?? ''))
    return args.length === 0 ? print(`${packageVersion()}\n`) : refuse(`${name} takes nothing after it.`)
  const asks = name === undefined || ['help', '--help', '-h'].includes(name)
  const topic = (asks ? args[0] : name) ?? 'vitrine'
  if (Object.hasOwn(topics, topic)) return print(topics[topic] ?? '')
  if (asks) {
    const meant = didYouMean(topic, commands)
    return refuse(`There is no help on "${visible(topic)}"${meant} "vitrine help" lists the commands.`)
  }
  if (!topic.startsWith('-')) return refuse(unknownCommand(topic, args, commands))
  const meant = didYouMean(topic, ['--help', '--version'])
  return refuse(`"${visible(topic)}" is not an option${meant} "vitrine --help" lists the options.`)
}

/** All words may be a command to run. */
function unknownCommand(name: string, args: readonly string[], commands: readonly string[]): string {
  const nearest = nearestKey(name, [...commands, 'help'])
  const line = ['vitrine', 'run', '--', name, ...args].map(quoted).join(' ')
  const guesses = [
    ...(nearest === undefined ? [] : [`"vitrine ${nearest}"`]),
    ...(args.includes('--') ? [] : [`\`${visible(line)}\``]),
  ]
  const said = `"${visible(name)}" is not a command of vitrine`
  return guesses.length > 0
    ? `${said}; did you mean ${guesses.join(' or ')}?`
    : `${said}: see "vitrine help".`
}
