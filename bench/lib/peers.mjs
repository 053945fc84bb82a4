// The sandboxes of others: the packages of bench/package.json.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'

const require = createRequire(new URL('../package.json', import.meta.url))

/** A file of a package of bench/package.json. @param {string} name @param {string} path */
export function packaged(name, path) {
  const roots = require.resolve.paths(name) ?? []
  return roots.map((root) => join(root, name, path)).find(existsSync)
}

/** The package's own program, without the Node.js wrapper that npm puts before it. */
export function codexProgram() {
  const cpu = process.arch === 'x64' ? 'x86_64' : 'aarch64'
  const path = `vendor/${cpu}-unknown-linux-musl/bin/codex`
  return packaged(`@openai/codex-linux-${process.arch}`, path)
}

/** Codex refuses a home below the temporary directory. @template T @param {(directory: string) => Promise<T>} use */
export async function withCodexHome(use) {
  const directory = mkdtempSync(join(homedir(), '.vitrine-bench-'))
  try {
    return await use(directory)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

export const sandboxRuntimeProgram = () => packaged('@anthropic-ai/sandbox-runtime', 'dist/cli.js')

/** @param {string} path @param {string[]} allowWrite */
export function writeSandboxRuntimeSettings(path, allowWrite) {
  const settings = {
    network: { allowedDomains: [], deniedDomains: [] },
    filesystem: { denyRead: [], allowWrite, denyWrite: [] },
  }
  return policyFile(path, settings)
}

/** @param {string} path @param {object} policy */
export function policyFile(path, policy) {
  writeFileSync(path, JSON.stringify(policy))
  return path
}
