import { claude } from './claude.ts'
import type { Client } from './client.ts'
import { cline } from './cline.ts'
import { codex } from './codex.ts'
import { copilot } from './copilot.ts'
import { gemini } from './gemini.ts'
import type { attachable } from './names.ts'
import { kilo, opencode } from './opencode.ts'
import { pi } from './pi.ts'
import { qwen } from './qwen.ts'

const byName: Readonly<Record<(typeof attachable)[number], Client>> = {
  claude,
  cline,
  codex,
  copilot,
  gemini,
  kilo,
  opencode,
  pi,
  qwen,
}

export const clients: readonly Client[] = Object.values(byName)

/** Files of projects that are trusted like a `.vitrine.toml`: relative to the project. */
export const projectFiles: readonly string[] = clients.flatMap(({ project }) => project?.files ?? [])

export function clientNamed(name: string | undefined): Client | undefined {
  return clients.find((client) => client.name === name)
}
