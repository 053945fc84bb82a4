import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Many tests run what the builds make: the addon, the library and the command line are brought up to date first. */
export default function setup(): void {
  for (const script of ['scripts/build-native.mjs', 'scripts/build-ts.mjs'])
    execFileSync(process.execPath, [script], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
}
