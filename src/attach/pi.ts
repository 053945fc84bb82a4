import { join } from 'node:path'
import { homeOf } from '../base/paths.ts'
import type { Environment } from '../base/types.ts'
import type { Client, Settings } from './client.ts'
import { filesAt } from './client.ts'
import { moduleText } from './modules.ts'
import { hookPiece, shellPiece } from './scripts.ts'

/**
 * pi: its setting shellPath names the program that reads every line; where that is missing, pi refuses. An extension judges the paths
 * of its file tools, and all lines where the project has settings of its own. An extension that throws refuses the call.
 */
export const pi: Client = {
  name: 'pi',
  seen: '1.6.0',
  pieces: (place) => {
    const { directory, env, mode } = place
    const shell = join(directory, 'bash')
    const hook = join(directory, 'hook')
    const agent = agentDirectory(env)
    return [
      shellPiece('pi', place, shell),
      hookPiece('pi', place),
      {
        ...{ kind: 'file', file: join(agent, 'extensions', 'vitrine.js'), mode: 0o644 },
        text: moduleText(hook, extension),
        what: `an extension refuses ${fileTools.join(' and ')} where ${mode} mode refuses commands`,
      },
      {
        kind: 'json',
        file: settingsFile(env),
        path: ['shellPath'],
        value: shell,
        what: 'shellPath names the shell',
      },
    ]
  },
  call: (told) => (told.tool === 'bash' ? { kind: 'other' } : filesAt(told, fileTools, ['path'])),
  project: { files: ['.pi/settings.json'], users: settingsFile, switchesOff },
  notes: () => ['An extension of a project that you let pi trust runs inside pi, where nothing holds it.'],
}

const fileTools = ['write', 'edit']

const extension = `const settings = (cwd) => existsSync(join(cwd, '.pi', 'settings.json'))

export default (pi) => {
  pi.on('tool_call', ({ toolName, input }, { cwd }) => {
    if (${JSON.stringify(fileTools)}.includes(toolName) || (toolName === 'bash' && settings(cwd))) ask(cwd, toolName, input)
  })
}
`

function agentDirectory(env: Environment): string {
  return env['PI_CODING_AGENT_DIR'] || join(homeOf(env), '.pi', 'agent')
}

function settingsFile(env: Environment): string {
  return join(agentDirectory(env), 'settings.json')
}

function switchesOff(settings: Settings): readonly string[] {
  return ['shellPath', 'shellCommandPrefix']
    .filter((name) => Object.hasOwn(settings, name))
    .map((name) => `"${name}"`)
}
