import type { Environment } from './files.ts'

/**
 * Trusts a project's `.vitrine.toml` as it is now, and returns its real path. Throws CONFIG_INVALID when it cannot be read.
 * The store is loaded late, for node:crypto: most starts trust nothing.
 */
export async function trustProjectFile(file: string, env: Environment): Promise<string> {
  const { trust } = await import('./trust.ts')
  return trust(file, env)
}
