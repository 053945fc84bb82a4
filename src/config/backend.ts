import { limitsOfContainer, unreadableInContainer } from '../messages/docker.ts'
import { badSetting, type LoadedConfig } from './load.ts'
import type { ConfigKey } from './schema.ts'

/** Keys that a container cannot honour, with a description of the value wanted. */
const notInContainer: Partial<Record<ConfigKey, string>> = {
  'shell.unreadable': unreadableInContainer,
  'limits.memory_bytes': limitsOfContainer,
  'limits.cpu_seconds': limitsOfContainer,
  'limits.processes': limitsOfContainer,
  'limits.open_files': limitsOfContainer,
}

/** Throws CONFIG_INVALID for a value that the backend does not support, instead of ignoring it. */
export async function checkBackend(loaded: LoadedConfig): Promise<void> {
  if (loaded.config.shell.backend !== 'docker') return
  for (const [key, wanted] of Object.entries(notInContainer) as [ConfigKey, string][]) {
    const { value } = loaded.sources[key]
    if (value === 0 || (Array.isArray(value) && value.length === 0)) continue
    throw await badSetting(loaded, key, wanted, JSON.stringify(value))
  }
}
