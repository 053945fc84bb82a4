import { claude } from './claude.ts'
import type { Client } from './client.ts'
import type { attachable } from './names.ts'

const byName: Readonly<Record<(typeof attachable)[number], Client>> = { claude }

export const clients: readonly Client[] = Object.values(byName)

/** Files of projects that are trusted like a `.vitrine.toml`: relative to the project. */
export const projectFiles: readonly string[] = clients.flatMap(({ project }) => project?.files ?? [])

export function clientNamed(name: string | undefined): Client | undefined {
  return clients.find((client) => client.name === name)
}
