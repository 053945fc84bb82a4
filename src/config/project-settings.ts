import type { ConfigKey, LoadedConfig } from './load.ts'

/** Keys whose value in force comes from project files, with those files. */
export type ProjectSettings = ReadonlyMap<ConfigKey, string>

/** Named in messages about a consequence of such a value. */
export function projectSettings({ sources }: LoadedConfig): ProjectSettings {
  return new Map(
    Object.entries(sources).flatMap(([key, { source, where }]) =>
      source === 'project' ? [[key as ConfigKey, where] as const] : [],
    ),
  )
}
