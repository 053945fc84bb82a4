import { join } from 'node:path'
import { homeOf } from '../base/paths.ts'
import { isTable } from '../base/table.ts'
import { type Client, filesAt } from './client.ts'
import { heldLine, inTime, judgingScript, shellIn, shellPiece } from './scripts.ts'

/** Cline: a hook, which is a program of its own, rewrites each line and judges the paths of its editor. */
export const cline: Client = {
  name: 'cline',
  seen: '3.0.65',
  pieces: (place) => {
    const { directory, env, mode, program } = place
    const judge = inTime([...program, 'hook', 'cline', '--mode', mode])
    return [
      shellPiece('cline', place, shellIn(directory)),
      {
        ...{ kind: 'file', file: join(homeOf(env), '.cline', 'hooks', 'PreToolUse'), mode: 0o755 },
        text: judgingScript(judge, cancelling),
        what: `a hook rewrites run_commands, and refuses editor where ${mode} mode refuses commands`,
      },
    ]
  },
  told: ({ tool_call: call, workspaceRoots: roots }) => ({
    ...(isTable(call) ? { tool: call['name'], input: call['input'] } : { tool: undefined, input: undefined }),
    cwd: Array.isArray(roots) ? roots[0] : undefined,
  }),
  call: (told) => {
    const lines = linesIn(told.input)
    if (told.tool === 'run_commands') return lines && { kind: 'command', command: lines.join('\n') }
    if (told.tool === 'editor') return filesAt(told, ['editor'], ['path'])
    return told.tool === 'apply_patch' ? undefined : { kind: 'other' }
  },
  rewritten: ({ input }, _, { directory }) => ({
    overrideInput: { ...input, commands: linesIn(input)?.map((line) => heldLine(line, directory)) },
  }),
  refused: (errorMessage) => ({ cancel: true, errorMessage }),
  notes: () => [
    'Cline ends its run where a call is refused. A hook that is gone lets every call pass: it has no other way.',
  ],
}

/** Cline takes any other end of a hook than this answer for a yes. */
const cancelling = `trap '[ $? = 0 ] || { echo "{\\"cancel\\":true,\\"errorMessage\\":\\"vitrine: it did not judge this call\\"}"; exit 0; }' EXIT
`

function linesIn({ commands }: Readonly<Record<string, unknown>>): readonly string[] | undefined {
  const lines: readonly unknown[] = Array.isArray(commands) ? commands : [commands]
  return lines.every((line) => typeof line === 'string') ? lines : undefined
}
