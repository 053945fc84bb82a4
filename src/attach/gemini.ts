import { join } from 'node:path'
import { homeOf } from '../base/paths.ts'
import { isTable } from '../base/table.ts'
import { quoted } from '../base/text.ts'
import type { Environment } from '../base/types.ts'
import { type Client, filesAt, type Place, type Settings } from './client.ts'
import { heldLine, hookPiece, shellIn, shellPiece } from './scripts.ts'

/** Gemini CLI: a hook rewrites each line, which its own words then show to the model as it wrote them, and judges paths of file tools. */
export const gemini: Client = {
  name: 'gemini',
  seen: '0.61.0',
  pieces: (place) => {
    const { directory, managed, mode } = place
    const shell = shellIn(directory)
    const hook = join(directory, 'hook')
    const file = managed ? '/etc/gemini-cli/settings.json' : userSettings(place.env)
    const matcher = `^(${['run_shell_command', ...fileTools].join('|')})$`
    // Any exit code but 2 lets a call pass with a warning. It has no name: a project could disable it by that.
    const command = { type: 'command', command: `${quoted(hook)} || exit 2`, timeout: 30_000 }
    const hooks = `hooks.BeforeTool rewrites run_shell_command, and refuses ${fileTools.join(' and ')} where ${mode} mode refuses commands`
    return [
      shellPiece('gemini', place, shell),
      hookPiece('gemini', place),
      {
        kind: 'json',
        file,
        path: ['hooks', 'BeforeTool', -1],
        value: { matcher, hooks: [command] },
        what: hooks,
      },
      ...(managed ? [enabled(file)] : []),
    ]
  },
  call: (told) => {
    const { command } = told.input
    if (told.tool !== 'run_shell_command') return filesAt(told, fileTools, ['file_path'])
    return typeof command === 'string' ? { kind: 'command', command } : undefined
  },
  rewritten: (_, command, { directory }) => {
    const tool_input = { command: heldLine(command, directory) }
    return { hookSpecificOutput: { hookEventName: 'BeforeTool', tool_input } }
  },
  project: { files: ['.gemini/settings.json'], users: userSettings, switchesOff },
  notes,
}

const fileTools = ['write_file', 'replace']

function enabled(file: string) {
  const what = 'hooksConfig.enabled keeps hooks on, whatever a project sets'
  return { kind: 'json', file, path: ['hooksConfig', 'enabled'], value: true, what } as const
}

function userSettings(env: Environment): string {
  return join(env['GEMINI_CLI_HOME'] || homeOf(env), '.gemini', 'settings.json')
}

function switchesOff(settings: Settings): readonly string[] {
  return ['hooksConfig', 'hooks'].filter((name) => isTable(settings[name])).map((name) => `"${name}"`)
}

function notes({ managed }: Place): readonly string[] {
  const rewritten = "Gemini's own check for $( ) within quotes does not see what the rewritten line quotes."
  if (managed) return [rewritten]
  return [
    rewritten,
    'A folder that you let Gemini trust can switch hooks off in its .gemini/settings.json, and its commands run unheld. "vitrine doctor" ' +
      'there names it; "vitrine attach gemini --managed" (as root, for every user of this machine) closes it.',
  ]
}
