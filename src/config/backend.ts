import { limitsOfContainer, socketsInContainer, unreadableInContainer } from '../messages/docker.ts'
import { VitrineError } from '../messages/error.ts'
import type { LoadedConfig } from './load.ts'
import type { ConfigKey } from './schema.ts'

/** Keys that a container cannot honour, with a description of the value wanted. */
const notInContainer: Partial<Record<ConfigKey, string>> = {
  'shell.unix_sockets': socketsInContainer,
  'shell.unreadable': unreadableInContainer,
  'limits.memory_bytes': limitsOfContainer,
  'limits.cpu_seconds': limitsOfContainer,
  'limits.processes': limitsOfContainer,
  'limits.open_files': limitsOfContainer,
}

/** Throws CONFIG_INVALID for a value that the backend does not support, instead of ignoring it. */
export function checkBackend({ config, sources }: LoadedConfig): void {
  if (config.shell.backend !== 'docker') return
  for (const [key, wanted] of Object.entries(notInContainer)) {
    const { value, where } = sources[key as ConfigKey]
    if (value === 0 || (Array.isArray(value) && value.length === 0)) continue
    throw new VitrineError({
      code: 'CONFIG_INVALID',
      file: where,
      key,
      problem: { kind: 'bad-value', wanted, got: JSON.stringify(value) },
    })
  }
}
