import type { HostPattern } from './hosts.ts'

/**
 * Those wildcards whose HOST is a public suffix (`*.com`, `*.github.io`): anyone can register names in it. Import this module
 * with import() only: the compile cache leaves out a file that imports a package so.
 */
export async function suffixWildcards(wildcards: readonly HostPattern[]): Promise<readonly HostPattern[]> {
  const { getPublicSuffix } = await import('tldts')
  const suffixOf = (name: string) =>
    getPublicSuffix(name, { allowPrivateDomains: true, validateHostname: false })
  return wildcards.filter(({ host: { name } }) => suffixOf(name) === name)
}
