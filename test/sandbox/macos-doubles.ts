import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execaLauncher } from '../../src/launch/execa.ts'
import type { ProcessEnd } from '../../src/launch/launch.ts'
import type { Confinement } from '../../src/sandbox/sandbox.ts'
import { makeDirectory } from '../helpers/place.ts'

interface DoubleOptions {
  /** Of sandbox-exec: other than 0, it applies no profile. */
  readonly exitCode?: number
}

interface Doubles {
  readonly tool: string
  /** Arguments of each run of sandbox-exec. */
  calls(): string[][]
}

/** A sandbox-exec that writes its arguments down and, where it would apply a profile, runs what follows them. */
export function doubleOf({ exitCode = 0 }: DoubleOptions = {}): Doubles {
  const directory = makeDirectory()
  const at = (name: string) => join(directory, name)
  const note = (file: string) =>
    `for argument; do printf '%s\\0' "$argument" >> '${file}'; done\nprintf 'END OF CALL\\0' >> '${file}'\n`
  const tool = program(
    at('sandbox-exec'),
    `${note(at('calls'))}
[ ${exitCode} = 0 ] || { echo 'sandbox-exec: sandbox_apply: Operation not permitted' >&2; exit ${exitCode}; }
while [ "$1" != -- ]; do shift; done
shift
[ "$1" = /usr/bin/true ] && exit 0
exec "$@"
`,
  )
  return {
    tool,
    calls: () => callsIn(at('calls')),
  }
}

function program(path: string, script: string): string {
  writeFileSync(path, `#!/bin/sh\n${script}`)
  chmodSync(path, 0o755)
  return path
}

function callsIn(file: string): string[][] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('END OF CALL\0')
    .filter((call) => call !== '')
    .map((call) => call.split('\0').slice(0, -1))
}

/** Runs a line in a confinement, to its end. */
export async function launchIn(
  confinement: Confinement,
  line: string,
  { merged = false, graceMs = 0 }: { readonly merged?: boolean; readonly graceMs?: number } = {},
): Promise<{ readonly end: ProcessEnd; readonly stdout: string; readonly ms: number }> {
  const launcher = await execaLauncher()
  const begun = performance.now()
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
  return { end, stdout, ms: performance.now() - begun }
}
