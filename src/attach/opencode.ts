import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { baseDirectory } from '../base/paths.ts'
import type { Environment } from '../base/types.ts'
import { type Client, filesAt } from './client.ts'
import { pathsIn } from './codex.ts'
import { moduleText } from './modules.ts'
import { hookPiece, shellPiece } from './scripts.ts'

/**
 * opencode, and Kilo which is made of it: its setting `shell` names the program that reads every line. A plugin sees the settings that
 * are in force, refuses lines while they name another shell, and judges the paths of its file tools.
 */
function openCode(
  name: string,
  seen: string,
  files: readonly [string, ...string[]],
  more: readonly string[],
): Client {
  const file = (env: Environment) => {
    const places = files.map((each) => join(baseDirectory(env, 'XDG_CONFIG_HOME'), each))
    return places.find((place) => existsSync(place)) ?? join(baseDirectory(env, 'XDG_CONFIG_HOME'), files[0])
  }
  return {
    name,
    seen,
    pieces: (place) => {
      const { directory, env, mode } = place
      const shell = join(directory, 'bash')
      const hook = join(directory, 'hook')
      const plugin = join(dirname(file(env)), 'plugin', 'vitrine.js')
      return [
        shellPiece(name, place, shell),
        hookPiece(name, place),
        {
          ...{ kind: 'file', file: plugin, mode: 0o644, text: moduleText(hook, pluginText(shell, more)) },
          what: `a plugin refuses ${fileTools.join(', ')} where ${mode} mode refuses commands`,
        },
        { kind: 'json', file: file(env), path: ['shell'], value: shell, what: 'shell names the shell' },
      ]
    },
    call: (told) => {
      const { patchText: patch } = told.input
      if (told.tool !== 'apply_patch') return filesAt(told, fileTools, ['filePath'])
      const paths = typeof patch === 'string' ? pathsIn(patch) : []
      return paths.length > 0 ? { kind: 'files', paths } : undefined
    },
    notes: () => [
      `A plugin that cannot be loaded is left out by ${name} without a word: commands are still held then, ${fileTools.join(', ')} are not.`,
      `A plugin of a project (.opencode/plugin) runs inside ${name}, where nothing holds it.`,
    ],
  }
}

const fileTools = ['write', 'edit', 'apply_patch']

function pluginText(shell: string, more: readonly string[]): string {
  return `const shell = ${JSON.stringify(shell)}

export const Vitrine = async ({ directory }) => {
  let inForce
  return {
    config: async (settings) => {
      inForce = settings.shell
    },
    'tool.execute.before': async ({ tool }, { args }) => {
      if (${JSON.stringify(fileTools)}.includes(tool)) ask(directory, tool, args)
      if (${JSON.stringify(['bash', ...more])}.includes(tool) && (inForce !== shell || !existsSync(shell)))
        throw new Error(
          'vitrine: refused, because the line would run unheld: its shell is gone, or a configuration of this project names ' +
            \`another shell. In force: \${inForce}.\`,
        )
    },
  }
}
`
}

export const opencode = openCode(
  'opencode',
  '1.18.33',
  ['opencode/opencode.json', 'opencode/opencode.jsonc'],
  [],
)
export const kilo = openCode(
  'kilo',
  '7.7.7',
  ['kilo/kilo.json', 'kilo/kilo.jsonc', 'kilo/opencode.json'],
  ['background_process'],
)
