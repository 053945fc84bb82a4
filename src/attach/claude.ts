import { join } from 'node:path'
import { homeOf, systemTool } from '../base/paths.ts'
import { isTable } from '../base/table.ts'
import { quoted } from '../base/text.ts'
import type { Environment } from '../base/types.ts'
import type { Client, Place, Settings, ShellCall, Told } from './client.ts'
import { judgingScript, startingScript } from './scripts.ts'

/**
 * Claude Code: its setting CLAUDE_CODE_SHELL names the program that reads every line: of Bash, in the background, of Monitor and of
 * subagents. What judges a call before sees the model's own words. A hook refuses such calls while another program is set, and judges
 * the paths of its file tools.
 */
export const claude: Client = {
  name: 'claude',
  seen: '2.1.332',
  pieces: (place) => {
    const { managed, mode, program } = place
    // Other users cannot come to what is in the home of one.
    const directory = managed ? '/var/lib/vitrine/claude' : place.directory
    const file = settingsFile(place)
    // Claude takes another file than one named bash or zsh for none, and starts the system's.
    const shell = join(directory, 'bash')
    const hook = join(directory, 'hook')
    const start = [...program, 'sh', '--client', 'claude', '--mode', mode, '--']
    const judge = [...program, 'hook', 'claude', '--mode', mode]
    const whose = managed ? ' for every user' : ''
    return [
      {
        kind: 'file',
        file: shell,
        mode: 0o755,
        text: startingScript(start, own),
        what: `the shell, in ${mode} mode`,
      },
      { kind: 'file', file: hook, mode: 0o755, text: hookScript(shell, judge), what: 'the hook' },
      {
        ...{ kind: 'json', isStrict: true, file, path: ['env', variable], value: shell },
        what: `env.${variable} names the shell${whose}`,
      },
      {
        ...{
          kind: 'json',
          isStrict: true,
          file,
          path: hooks,
          value: entry('Bash|Monitor', `${quoted(hook)} shell`),
        },
        what: `hooks.PreToolUse refuses Bash and Monitor while another shell is set${whose}`,
      },
      {
        ...{
          kind: 'json',
          isStrict: true,
          file,
          path: hooks,
          value: entry(fileTools.join('|'), `${quoted(hook)} files`),
        },
        what: `hooks.PreToolUse refuses ${fileTools.join(', ')} where ${mode} mode refuses commands${whose}`,
      },
    ]
  },
  line: lineOf,
  call: ({ tool, input }: Told) => {
    const path = input['file_path'] ?? input['notebook_path']
    return fileTools.includes(tool) && typeof path === 'string' ? { kind: 'files', paths: [path] } : undefined
  },
  project: {
    files: ['.claude/settings.json', '.claude/settings.local.json'],
    users: userSettings,
    switchesOff,
  },
  notes: ({ managed }) =>
    managed
      ? []
      : [
          'A repository whose settings have "disableAllHooks" switches off the judgement of file tools, and with "env" beside it that of ' +
            'commands. "vitrine doctor" there names it; "vitrine attach claude --managed" (as root, for every user of this machine) or ' +
            '"claude --setting-sources user" (no settings of projects at all) closes it.',
        ],
}

const variable = 'CLAUDE_CODE_SHELL'
const hooks = ['hooks', 'PreToolUse', -1]
const fileTools = ['Write', 'Edit', 'MultiEdit', 'NotebookEdit']

function settingsFile({ env, managed }: Place): string {
  return managed ? '/etc/claude-code/managed-settings.d/vitrine.json' : userSettings(env)
}

function userSettings(env: Environment): string {
  return join(env['CLAUDE_CONFIG_DIR'] || join(homeOf(env), '.claude'), 'settings.json')
}

/** A version that does not know `onFailure` lets a call pass where the hook ends with anything but 2. */
function entry(matcher: string, hook: string): Settings {
  const command = `${hook} || exit 2`
  return { matcher, hooks: [{ type: 'command', command, timeout: 20, onFailure: 'block' }] }
}

/**
 * What Claude asks at its start, with no word of a model in it: the variables, and the user's own functions and aliases, for a file that
 * each line sources. The user's startup files run as without vitrine; BASH_ENV and functions of the environment, which a project can
 * set, do not (-p).
 */
const own = `case $#,$1,$2,$3 in
2,-c,env, | 3,-c,-l,SNAPSHOT_FILE=*) exec ${systemTool('bash') ?? 'bash'} -p "$@" ;;
esac
`

/** Whether the shell is in force is told without a start of Node. */
function hookScript(shell: string, judge: readonly string[]): string {
  const said =
    'vitrine: refused, because commands would run unheld: the settings in force set another CLAUDE_CODE_SHELL, or vitrine is gone. ' +
    'Tell the user to run "vitrine doctor" here.'
  return judgingScript(
    judge,
    `if [ "$1" = shell ]; then
  [ "$${variable}" = ${quoted(shell)} ] && [ -z "$CLAUDE_CODE_SHELL_PREFIX" ] && [ -x ${quoted(shell)} ] && exit 0
  echo ${quoted(said)} >&2
  exit 2
fi
`,
  )
}

/** What may stand before the command: its own settings of the shell, which run held as all of the line does. */
const shape =
  /^(?:(?:source |\\builtin |shopt )[\s\S]*? && )?eval (?:'[^']*'|"'"|[\w@%+=:,./-])+( < \/dev\/null)? && pwd -P >\| (\/[^\s'"\\$`]*\/claude-[0-9a-f]+-cwd)$/

function lineOf(args: readonly string[]): ShellCall | undefined {
  const [option, ...rest] = args
  const [line = '', ...more] = rest[0] === '-l' ? rest.slice(1) : rest
  const found = option === '-c' && more.length === 0 ? shape.exec(line) : null
  if (!found) return undefined
  const [, empty, directoryFile = ''] = found
  return {
    line: line.slice(0, line.lastIndexOf(' && pwd -P >| ')),
    directoryFile,
    reads: empty === undefined,
  }
}

function switchesOff(settings: Settings): readonly string[] {
  const { env } = settings
  return [
    ...(settings['disableAllHooks'] === true ? ['"disableAllHooks"'] : []),
    ...(isTable(settings['hooks']) ? ['"hooks", which may change a call after vitrine has judged it'] : []),
    ...(isTable(env) ? Object.keys(env).map((name) => `"env" ${name}`) : []),
  ]
}
