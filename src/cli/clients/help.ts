import { attachable } from '../../attach/names.ts'

/** The topics of help about attached clients. */
export const clientTopics: Readonly<Record<string, string>> = {
  attach: `vitrine attach: hold an AI client's own shell and file tools

Usage:
  vitrine attach CLIENT [--mode MODE]  write what has the client's calls go through vitrine, and print each file
  vitrine attach --list [--json]       list the clients, and which are attached
  vitrine detach CLIENT                take out again what "attach" wrote

Clients: ${attachable.join(', ')}.

Options:
  --mode MODE        workspace (default), or read: what the client's commands and file tools may change
  --managed          write into the settings of this machine's administrator, which no project can override (as root)

The client's own rules still judge the commands, and its own time limits end them. [shell], [workspace], [network] and [policy] of your
configuration apply as for "vitrine run". docs/clients.md says what is held in each client, and what stays open. "vitrine doctor" tells
whether it is in force in the current directory.

Examples:
  vitrine attach claude
  vitrine attach codex --mode read
`,
  detach: `vitrine detach: take out again what "vitrine attach" wrote

Usage:
  vitrine detach CLIENT

Each file gets its earlier text back, byte for byte; where others have changed it since, only what "attach" wrote is taken out.
`,
  sh: `vitrine sh: what an attached client starts in place of its shell

Usage:
  vitrine sh [OPTIONS] -c LINE

Options:
  --mode MODE        read (default) or workspace: what the line may change
  --client CLIENT    understand how this client starts its shell
  --project DIR      where the client was started; default: the directory of the process that started this one

Bash reads the line. No deadline ends it: the client does, and it lives no longer than the process that started it.
The workspace and the configuration are those of the directory of that process.
`,
  hook: `vitrine hook: judge a call of an attached client

Usage:
  vitrine hook CLIENT [--mode MODE]

Options:
  --mode MODE        read (default) or workspace: what the call may change

Reads what the client tells its hooks, as JSON. Whatever goes wrong refuses the call.

Exit codes:
  0    the call may go on; on standard output what the client is to run instead, if anything
  2    refused; standard error says why
`,
}
