import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Before any test: the addon and dist/ as the sources are now. Both scripts do nothing when they are. */
export default function setup(): void {
  const cwd = fileURLToPath(new URL('..', import.meta.url))
  for (const script of ['build-native', 'build-ts'])
    execFileSync(process.execPath, [`scripts/${script}.mjs`], { cwd, stdio: 'inherit' })
}
