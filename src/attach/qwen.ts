import { join } from 'node:path'
import { homeOf } from '../base/paths.ts'
import { isTable } from '../base/table.ts'
import { quoted } from '../base/text.ts'
import type { Environment } from '../base/types.ts'
import { type Client, filesAt, type Settings } from './client.ts'
import { hookPiece, shellPiece } from './scripts.ts'

/**
 * Qwen Code rewrites no line, and has no setting for its shell: it starts the first bash on PATH, which the user has to make ours. A hook
 * refuses lines until then, and judges the paths of file tools. Qwen starts hooks by the same bash.
 */
export const qwen: Client = {
  name: 'qwen',
  seen: '0.24.4',
  pieces: (place) => {
    const { directory, env, mode } = place
    const bin = binIn(directory)
    const hook = join(directory, 'hook')
    const command = `${quoted(hook)} || exit 2`
    const value = {
      matcher: `^(${[...shellTools, ...fileTools].join('|')})$`,
      hooks: [{ type: 'command', command, timeout: 30 }],
    }
    return [
      shellPiece('qwen', place, join(bin, 'bash'), passing(bin, command)),
      hookPiece('qwen', place, onPath(bin)),
      {
        ...{ kind: 'json', file: settingsFile(env), path: ['hooks', 'PreToolUse', -1], value },
        what: `hooks.PreToolUse refuses lines that ${bin} does not run, and ${fileTools.join(', ')} where ${mode} mode refuses commands`,
      },
    ]
  },
  call: (told) => (shellTools.includes(told.tool) ? { kind: 'other' } : filesAt(told, fileTools, fields)),
  project: { files: ['.qwen/settings.json'], users: settingsFile, switchesOff },
  notes: ({ directory }) => [
    `Start it with our bash first on its PATH, for example by: alias qwen='PATH=${binIn(directory)}:$PATH qwen'. Without it lines are refused.`,
    'Your other hooks of Qwen are held, too.',
  ],
}

const shellTools = ['run_shell_command', 'monitor']
const fileTools = ['write_file', 'edit', 'notebook_edit']
const fields = ['file_path', 'notebook_path']

const binIn = (directory: string) => join(directory, 'bin')

/** Of the shell: our hook is not held, and what it runs finds the system's bash. */
function passing(bin: string, command: string): string {
  return `[ $# = 2 ] && [ "$1 $2" = ${quoted(`-c ${command}`)} ] && exec /bin/sh -c "$2"
PATH=\${PATH#${quoted(`${bin}:`)}}
export PATH
`
}

/** Of the hook: every call of a shell and a file tool comes by it, and none may while lines would run bare. */
function onPath(bin: string): string {
  const said = `vitrine: refused, because commands would run unheld: start qwen with ${bin} first on its PATH.`
  return `case $PATH in
${quoted(`${bin}:`)}*) [ -x ${quoted(join(bin, 'bash'))} ] ;;
*) false ;;
esac || { echo ${quoted(said)} >&2; exit 2; }
`
}

function settingsFile(env: Environment): string {
  return join(homeOf(env), '.qwen', 'settings.json')
}

function switchesOff(settings: Settings): readonly string[] {
  return [
    ...(settings['disableAllHooks'] === true ? ['"disableAllHooks"'] : []),
    ...(isTable(settings['hooks']) ? ['"hooks"'] : []),
  ]
}
