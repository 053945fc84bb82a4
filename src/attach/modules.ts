/** A module that a client loads into itself: `ask` has the hook judge a call, and throws what it refuses. */
export function moduleText(hook: string, own: string): string {
  return `// Written by "vitrine attach"; "vitrine detach" removes it.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

function ask(cwd, tool_name, tool_input) {
  const input = JSON.stringify({ cwd, tool_name, tool_input })
  const { status, stderr, error } = spawnSync(${JSON.stringify(hook)}, { input, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr?.trim() || \`vitrine: refused, because its hook cannot be asked: \${error}\`)
}

${own}`
}
