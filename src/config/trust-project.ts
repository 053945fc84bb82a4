import type { Environment } from '../base/types.ts'

/** Returns the real path. Throws CONFIG_INVALID. The store is imported late: it loads node:crypto. */
export async function trustProjectFile(file: string, env: Environment): Promise<string> {
  const { trust } = await import('./trust.ts')
  return trust(file, env)
}
