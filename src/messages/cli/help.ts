/** What there is help for. */
export type Topic =
  | 'vitrine'
  | 'run'
  | 'shell'
  | 'policy'
  | 'config'
  | 'mcp'
  | 'scratchpad'
  | 'doctor'
  | 'docker'
  | 'completion'

const exitCodes = `Exit codes:
  the command's own, or 128+n when signal n ended it
  124  timed out
  125  vitrine refused, failed, or ended the command at its output limit
  126  the program is there but cannot be executed
  127  there is no such program
  137  killed by SIGKILL, or at a limit of [limits], which is named on stderr`

const texts: Readonly<Record<Topic, string>> = {
  vitrine: `vitrine: a shell that can look but not touch

Usage:
  vitrine run [OPTIONS] -- COMMAND [ARG...]   run a command, read-only by the operating system
  vitrine shell [OPTIONS]                     type commands; ":write" and ":read" change the mode
  vitrine policy check -- COMMAND [ARG...]    what would be decided about a command, and why
  vitrine policy list                         the rules in force
  vitrine config show|path|init|trust|schema  the configuration
  vitrine mcp [OPTIONS]                       serve commands to an agent (Model Context Protocol)
  vitrine mcp install CLIENT                  enter that server in a client's configuration
  vitrine scratchpad list|show NAME|clear     the outputs that were saved
  vitrine docker build|status|clean           image and containers of the docker backend
  vitrine doctor [--json]                     what this host can enforce, found out by trying
  vitrine completion bash|zsh|fish            the script that completes these words in your shell
  vitrine help [COMMAND] | --version          also --help, -h, -v

Examples:
  vitrine run -- git log -5 --oneline         a program and its arguments, no shell
  vitrine run -- 'grep -rn TODO src | wc -l'  one word is a shell line
  vitrine run --write --ask -- npm install    write mode: unsandboxed, and you are asked first

"vitrine help COMMAND" says more.
`,
  run: `vitrine run: run a command in read mode, where the operating system refuses every change

Usage:
  vitrine run [OPTIONS] -- COMMAND [ARG...]

One word after "--" is a line for sh; several are a program and its arguments, run without a shell.
Standard input is passed on unless it is a terminal.

Options:
  --write            write mode: run it unsandboxed
  --timeout TIME     30s, 500ms, 2m, or milliseconds; default: [shell] timeout_ms, 30 s; at most max_timeout_ms, 10 min
  --cwd DIR          the directory to run it in; default: the current one
  --env NAME[=TEXT]  give it this variable, with its value here or this one; may be repeated
  --ask              ask you, at the terminal, about what the policy leaves open
  --each             every word after "--" is a line of its own: in order, up to the first that fails
  --workspace DIR    in write mode the command stays inside this directory: in place of [policy] workspace
  --network          let TCP and UDP clients through; unix sockets stay shut
  --private-tmp      give it a TMPDIR of its own that it can write to, removed after it
  --backend BACKEND  local, or docker: in a container; default: [shell] backend, which is local
  --merged           one stream for both outputs, in the order written
  --pty              give the command a terminal of its own, shown in yours (Linux)
  --scratchpad NAME  save the whole output under this name
  --keep-going       with --each: go on behind a line that fails
  --json             print the result as one JSON object instead of the output (docs/run-json.md);
                     --json=full has every field of the library's result
  --config FILE      a config file in place of your own

Examples:
  vitrine run -- ls -la
  vitrine run --timeout 2m --cwd src -- 'rg -l unsafe | sort'
  git diff | vitrine run -- wc -l
  vitrine run --json -- npm ls | jq .exitCode
  vitrine run --pty --timeout 10m -- less README.md
  vitrine run --write --ask --each -- 'npm ci' 'npm test'

With --each all of them are decided on before the first one starts. At the end stderr names the line that failed and those that
did not run; the exit code is that of the line that failed, with --keep-going of the first one. --json prints
{ "version": 1, "results": [...], "skipped": [...] }.

With --pty what you type goes to the command, Ctrl+C and Ctrl+Z too, and its timeout counts as ever: give more time for
something to work in, --timeout 10m. Standard input and output have to be your terminal. TERM and HUP to vitrine end it.

With --ask a single key answers: y, n, a (all this session), s (this command this session). No terminal, no answer before
the command's timeout, Enter, Escape and Ctrl+C are a no: nothing runs, exit code 125. Without --ask [policy] unattended
says what becomes of such commands; by default they run. "vitrine policy check" tells what would be asked about.

Interrupt, TERM, HUP and QUIT reach the command; a second interrupt kills it.

${exitCodes}
`,
  shell: `vitrine shell: type commands one after the other, in read mode until you say otherwise

Usage:
  vitrine shell [OPTIONS]

The prompt tells the mode and the directory. Each command is run by a sh of its own; one that is not complete (a loop, a quote,
a here-document, a backslash) goes on in the next line. Lines can also come from a pipe or a file.

  cd [DIR]        go to another directory; "cd -" goes back
  :write          write mode: commands run unsandboxed
  :read           read mode: the operating system refuses every change
  :help           this list
  fg              let the command go on that Ctrl+Z stopped; "jobs" lists them (Linux, local backend)
  exit [CODE]     or Ctrl+D: end

Kept for the next command: the directory and exported variables (Linux, local backend; elsewhere the directory of a plain "cd").
Not kept: functions, aliases, shell options, variables that are not exported. What is exported in read mode stays in read mode.

In a terminal a command gets one of its own (Linux). Lines of a paste, and what is typed while a command runs and does not
read it, run in their order; an interrupt forgets them. Tab completes words of ours, programs and paths; the arrows and
Ctrl+R find earlier lines, which are kept in $XDG_STATE_HOME/vitrine/history (mode 600) unless they begin with a blank.

Options:
  --write            begin in write mode
  --timeout TIME     for each command; default: the longest, [shell] max_timeout_ms, 10 min
  --cwd DIR          the directory to begin in; default: the current one
  --ask              ask you about what the policy leaves open
  --workspace DIR    in write mode commands stay inside this directory: in place of [policy] workspace
  --network          read mode: let TCP and UDP clients through; unix sockets stay shut
  --private-tmp      read mode: each command gets a TMPDIR of its own, removed after it
  --backend BACKEND  local, or docker: in a container; default: [shell] backend, which is local
  --config FILE      a config file in place of your own

Examples:
  vitrine shell --cwd ~/project
  printf 'git status\\nls\\n' | vitrine shell

The exit code is that of the last command, or what "exit" says.
`,
  policy: `vitrine policy: what would be decided about a command, and by which rules

Usage:
  vitrine policy check [OPTIONS] -- COMMAND [ARG...]  each simple command, the rule that matched, and why
  vitrine policy list [--config FILE] [--cwd DIR] [--json]  every rule with where it comes from

As for "vitrine run", one word after "--" is a line for sh, several are a program and its arguments. Nothing runs.

Options of check:
  --write            decide for write mode; default: [shell] mode, which is read
  --cwd DIR          where the command would run; default: the current directory
  --workspace DIR    in place of [policy] workspace
  --backend BACKEND  local or docker, in place of [shell] backend: the rules are the same, what it cannot hold is refused
  --json             print the decision as one JSON object: verdict, reason, matches
  --config FILE      a config file in place of your own

Examples:
  vitrine policy check --write -- 'git status; git push'
  vitrine policy check --json --write -- rm -rf build | jq .reason
  vitrine policy list | grep config.toml

Exit codes of check:
  0    allow
  1    ask
  2    deny
  125  nothing could be decided: the line or the configuration is not valid
`,
  config: `vitrine config: the configuration

Usage:
  vitrine config show [--json]   every key with its value and where that comes from
  vitrine config path            the path of your config file
  vitrine config init [FILE]     write a config file with every key and its default, commented out
  vitrine config trust [FILE]    let a project's .vitrine.toml loosen what you have set; default: those in force here
  vitrine config schema          the JSON schema of config files, for editors

Precedence: flags, VITRINE_SECTION_KEY variables, a project's .vitrine.toml, your own file, defaults.
A project file can only tighten until you trust it; when it changes, the trust ends.

Examples:
  vitrine config init
  VITRINE_SHELL_TIMEOUT_MS=5000 vitrine config show
  vitrine config trust ./.vitrine.toml
`,
  mcp: `vitrine mcp: serve commands to an agent (Model Context Protocol)

Usage:
  vitrine mcp [OPTIONS]                   serve on standard input and output
  vitrine mcp --http [HOST:]PORT          serve over HTTP; port 0: any that is free
  vitrine mcp install CLIENT [--print | --write]  the entry for a client: print it (default), or put it into its configuration

Clients: claude, codex, gemini, cursor, vscode, opencode.

Options:
  --mode MODE        read (default: [shell] mode): one tool, which cannot change anything; write: one that can; both: two
  --approve WHO      who decides on what the policy asks about: client (default; it has asked its user), elicit (the user is
                     asked through the client) or none ([policy] unattended decides)
  --network          read mode: let TCP and UDP clients through; no call can do that for itself
  --private-tmp      read mode: each command gets a TMPDIR of its own, removed after it; a call can ask for it, too
  --backend BACKEND  local, or docker: in a container; default: [shell] backend, which is local
  --workspace DIR    in write mode commands stay inside this directory: in place of [policy] workspace
  --structured       structured results beside the text
  --http ADDRESS     127.0.0.1 unless a host is named; clients have to send a token: VITRINE_TOKEN, or one that is printed
  --cwd DIR          where commands run; default: the current directory
  --config FILE      a config file in place of your own

"install" takes --mode, --approve, --network, --private-tmp and --backend for the server that it enters.

Examples:
  vitrine mcp install claude
  vitrine mcp install cursor --mode both --approve elicit --write
  VITRINE_TOKEN=$(cat token) vitrine mcp --http 8080

Interrupt, TERM and HUP end the server and kill what runs; over HTTP the first one waits for what runs, a second one kills.
`,
  scratchpad: `vitrine scratchpad: the outputs that were saved, of every session

Usage:
  vitrine scratchpad list [--json]  every session with its outputs, newest last
  vitrine scratchpad show NAME      the bytes of one, as they were written; of several with that name the newest; SESSION/NAME names one
  vitrine scratchpad clear          remove all sessions that are not in use

Output is saved when it is too long for its result, and where --scratchpad gives it a name. [scratchpad] max_age_days
and max_bytes say how long it is kept.

Examples:
  vitrine run --scratchpad log -- git log --stat
  vitrine scratchpad show log | less
  vitrine scratchpad list --json | jq -r '.sessions[].entries[].name'
`,
  docker: `vitrine docker: the image and the containers of the docker backend

Usage:
  vitrine docker build [--json]   build vitrine's own image, which [docker] image = "" uses
  vitrine docker status [--json]  engine, image, and the containers of every vitrine that runs
  vitrine docker clean [--json]   remove containers whose vitrine is gone, and nothing else

With [shell] backend = "docker", or --backend docker, commands run in a container that shows the workspace and nothing else
of this machine: read-only in read mode, writable in write mode. [docker] says how it is made; docs/docker.md says the rest.
Nothing is ever pulled or built unasked. DOCKER_HOST names another socket than the usual ones.

Options:
  --config FILE  a config file in place of your own

Examples:
  vitrine docker build
  vitrine run --backend docker -- 'grep -rn TODO . | head'
  vitrine docker status --json | jq '.containers[].name'

Exit codes:
  0    built, cleaned; status: engine and image are there
  1    status: one of them is not
  125  the engine could not be reached, or refused
`,
  doctor: `vitrine doctor: what this host can enforce

Usage:
  vitrine doctor [--json] [--backend docker]

  --json             one object, as docs/doctor.md describes it
  --backend BACKEND  docker: says whether engine and image are there, too; default: [shell] backend

Each right of the host is really tried: once in write mode, to see that the attempt works here, and once in read mode,
where it must change nothing. All of it happens to files, sockets and processes of its own in a temporary directory.
Below the table stands what of this system takes from read mode (an old kernel, a filter around the process, Yama), and what
to do about it. Nothing is changed.

Examples:
  vitrine doctor
  vitrine doctor --json | jq '.rights[] | select(.state != "enforced")'

Exit codes:
  0    read mode enforces everything that could be tried
  1    it does not, there is no read mode here, or nothing could be tried
  125  the check itself failed
`,
  completion: `vitrine completion: commands, options and their values, completed by your shell

Usage:
  vitrine completion bash|zsh|fish             print the script for that shell
  vitrine completion candidates -- [WORD...]   what that script asks: what could stand for the last word

Examples:
  eval "$(vitrine completion bash)"            in ~/.bashrc
  eval "$(vitrine completion zsh)"             in ~/.zshrc, behind compinit
  vitrine completion fish >~/.config/fish/completions/vitrine.fish

Behind "--" the words of the command that is to run are completed as they are without vitrine.
`,
}

export const topics = Object.keys(texts) as readonly Topic[]

/** The help on a command, or on all of it. */
export function helpFor(topic: Topic): string {
  return texts[topic]
}

/** What the help says a word behind a command does: an option, or a command of it. Empty: it does not say. */
export function describedIn([first, ...more]: readonly string[], word: string): string {
  const topic = topics.find((known) => known === first) ?? 'vitrine'
  const behind = ['vitrine', first, ...more].filter((part) => part !== undefined).join(' ')
  const line = word.startsWith('-') ? `${word}(?: [A-Z[=\\]]+)?` : `${behind} ${word}\\b.*?`
  return new RegExp(`^ {2}${line} {2,}(.+)$`, 'm').exec(texts[topic])?.[1] ?? ''
}
