import { join } from 'node:path'
import { tried } from '../base/errno.ts'
import { homeOf } from '../base/paths.ts'
import { isTable } from '../base/table.ts'
import { quoted } from '../base/text.ts'
import type { Environment } from '../base/types.ts'
import { type Client, filesAt } from './client.ts'
import { pathsIn } from './codex.ts'
import { heldLine, hookPiece, shellIn, shellPiece } from './scripts.ts'

/** Copilot CLI: a hook in a file of its own rewrites each line, and judges the paths of file tools. */
export const copilot: Client = {
  name: 'copilot',
  seen: '1.0.102',
  pieces: (place) => {
    const { directory, env, mode } = place
    const shell = shellIn(directory)
    const hook = join(directory, 'hook')
    const preToolUse = [{ type: 'command', bash: `${quoted(hook)} || exit 2`, timeoutSec: 30 }]
    const text = `${JSON.stringify({ version: 1, hooks: { preToolUse } }, null, 2)}\n`
    return [
      shellPiece('copilot', place, shell),
      hookPiece('copilot', place),
      {
        ...{ kind: 'file', file: join(home(env), 'hooks', 'vitrine.json'), mode: 0o600, text },
        what: `preToolUse rewrites bash, and refuses ${fileTools.join(' and ')} where ${mode} mode refuses commands`,
      },
    ]
  },
  told: ({ toolName, toolArgs, cwd }) => ({
    tool: toolName,
    // A string in older versions, and a patch.
    input:
      typeof toolArgs === 'string' ? (tried(() => JSON.parse(toolArgs)) ?? { patch: toolArgs }) : toolArgs,
    cwd,
  }),
  call: (told) => {
    const { command } = told.input
    if (told.tool === 'bash') return typeof command === 'string' ? { kind: 'command', command } : undefined
    if (told.tool === 'apply_patch') {
      const paths = Object.values(told.input).flatMap((text) =>
        typeof text === 'string' ? pathsIn(text) : [],
      )
      return paths.length > 0 ? { kind: 'files', paths } : undefined
    }
    return fileTools.includes(told.tool) ? filesAt(told, fileTools, ['path']) : { kind: 'other' }
  },
  rewritten: ({ input }, command, { directory }) => ({
    permissionDecision: 'allow',
    modifiedArgs: { ...input, command: heldLine(command, directory) },
  }),
  refused: (permissionDecisionReason) => ({ permissionDecision: 'deny', permissionDecisionReason }),
  project: {
    files: ['.github/copilot/settings.json'],
    users: (env) => join(home(env), 'settings.json'),
    switchesOff: (settings) =>
      settings['disableAllHooks'] === true || isTable(settings['hooks'])
        ? ['"disableAllHooks" or "hooks"']
        : [],
  },
  notes: () => [
    'Copilot no longer asks about lines of bash, because it can only ask about the rewritten one: what the mode does not hold, your policy ' +
      "denies (vitrine policy list). Its --deny-tool 'shell(...)' does not see the model's words any more.",
    'The model is shown the rewritten line as its own.',
  ],
}

const fileTools = ['create', 'edit']

function home(env: Environment): string {
  return env['COPILOT_HOME'] || join(homeOf(env), '.copilot')
}
