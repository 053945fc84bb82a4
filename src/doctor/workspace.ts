import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Shell } from '../internal.ts'
import type { Attempt } from './attempt.ts'
import type { Check } from './check.ts'
import { changing } from './files.ts'

const settings = { 'shell.mode': 'workspace' } as const
const right = 'workspace'

/** Of attempts in workspace mode: its `.git` ends the search for a repository. */
export function makeWorkspace(directory: string): string {
  const workspace = join(directory, 'workspace')
  mkdirSync(join(workspace, '.git'), { recursive: true })
  return workspace
}

export const workspaceAttempts: readonly Attempt[] = [
  { ...changing('write to a file outside of the workspace', 'echo changed > file'), right, settings },
]

/** Runs a line in the shell's workspace; whether it made the path. */
async function makes(shell: Shell, command: string, name: string): Promise<{ made: boolean; said: string }> {
  const path = join(shell.cwd, name)
  const { stderr } = await shell.execute({ command })
  const made = existsSync(path)
  rmSync(path, { recursive: true, force: true })
  return { made, said: stderr }
}

const protectedPath: Check = {
  right,
  name: 'make the git hooks of the workspace',
  settings,
  async run({ read, write }) {
    const [command, name] = ['mkdir .git/hooks', '.git/hooks']
    const control = await makes(write, command, name)
    const trial = await makes(read, command, name)
    if (trial.made) return { state: 'open', said: trial.said }
    return control.made ? { state: 'enforced', said: trial.said } : { state: 'untried', said: control.said }
  },
}

/** The one attempt that must work. */
const allowed: Check = {
  right,
  name: 'write to a file of the workspace (allowed)',
  settings,
  async run({ read }) {
    const { made, said } = await makes(read, 'echo written > file', 'file')
    if (!made) return { state: 'lacking', said }
    return { state: read.mode === 'workspace' ? 'enforced' : 'untried', said }
  },
}

export const workspaceChecks: readonly Check[] = [protectedPath, allowed]
