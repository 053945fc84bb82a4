import type { Environment } from '../base/types.ts'

/**
 * Trusts a project's `.vitrine.toml` in its present form, and returns its real path. Throws CONFIG_INVALID
 * when it cannot be read. The store is imported late, because it loads node:crypto: most starts trust
 * nothing.
 */
export async function trustProjectFile(file: string, env: Environment): Promise<string> {
  const { trust } = await import('./trust.ts')
  return trust(file, env)
}
