import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execaLauncher } from '../../src/launch/execa.ts'
import type { ProcessEnd } from '../../src/launch/launch.ts'
import type { Confinement } from '../../src/sandbox/sandbox.ts'
import { makeDirectory } from '../helpers/place.ts'

/**
 * A sandbox-exec that writes its arguments down and, where it would apply a profile, runs what follows them; with an exit code other than 0
 * it applies none. `calls`: the arguments of each run.
 */
export function doubleOf(exitCode = 0): { readonly tool: string; calls(): string[][] } {
  const directory = makeDirectory()
  const [tool, notes] = [join(directory, 'sandbox-exec'), join(directory, 'calls')]
  const script = `#!/bin/sh
for argument; do printf '%s\\0' "$argument" >> '${notes}'; done; printf 'END OF CALL\\0' >> '${notes}'
[ ${exitCode} = 0 ] || { echo 'sandbox-exec: sandbox_apply: Operation not permitted' >&2; exit ${exitCode}; }
while [ "$1" != -- ]; do shift; done
shift
[ "$1" = /usr/bin/true ] && exit 0
exec "$@"
`
  writeFileSync(tool, script, { mode: 0o755 })
  const calls = () =>
    (existsSync(notes) ? readFileSync(notes, 'utf8') : '').split('END OF CALL\0').slice(0, -1)
  return { tool, calls: () => calls().map((call) => call.split('\0').slice(0, -1)) }
}

/** Runs a line in a confinement, to its end. */
export async function launchIn(
  confinement: Confinement,
  line: string,
  { merged = false, graceMs = 0 }: { readonly merged?: boolean; readonly graceMs?: number } = {},
): Promise<{ readonly end: ProcessEnd; readonly stdout: string }> {
  const launcher = await execaLauncher()
  let stdout = ''
  const end = await new Promise<ProcessEnd>((resolve) => {
    launcher.launch(
      {
        candidates: ['/bin/sh'],
        argv: ['sh', '-c', line],
        limits: null,
        deadline: { timeoutMs: 60_000, graceMs },
        terminal: null,
        environment: { PATH: '/usr/bin:/bin' },
        cwd: '/',
        stdin: null,
        merged,
        tellsStart: false,
        confinement,
      },
      {
        output: (stream, chunk) => {
          if (stream === 'stdout') stdout += chunk.toString()
        },
        started: () => {},
        end: resolve,
      },
    )
  })
  return { end, stdout }
}
