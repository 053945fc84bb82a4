import type { Environment, Mode } from '../base/types.ts'
import { faultsOf } from './attach.ts'
import { clients } from './clients.ts'
import { overridesIn } from './project.ts'
import { recordOf } from './record.ts'

export interface AttachedClient {
  readonly client: string
  readonly mode: Mode
  /** Why it may run commands unheld, or none, where it is started in this directory. */
  readonly faults: readonly string[]
}

export async function attachedClients(
  directory: string,
  env: Environment,
): Promise<readonly AttachedClient[]> {
  const all = await Promise.all(
    clients.map(async (client) => {
      const record = recordOf(client.name, env)
      if (!record) return []
      const faults = [...faultsOf(record), ...(await overridesIn(client, directory, env))]
      return [{ client: client.name, mode: record.mode, faults }]
    }),
  )
  return all.flat()
}
