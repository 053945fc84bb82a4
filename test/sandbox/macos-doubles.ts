import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { execaLauncher } from '../../src/launch/execa.ts'
import type { ProcessEnd } from '../../src/launch/launch.ts'
import { type MacosTools, macosSandbox } from '../../src/sandbox/macos/sandbox.ts'
import type { Confinement, Sandbox } from '../../src/sandbox/sandbox.ts'
import { afterFile } from '../helpers/clean-up.ts'
import { makeDirectory } from '../helpers/place.ts'

export interface DoubleOptions {
  /** Of sandbox-exec: other than 0, it applies no profile. */
  readonly exitCode?: number
  /** Of log(1): `sh` that is run in its place. Default: it tells whatever comes. */
  readonly log?: string
}

export interface Doubles {
  readonly tools: MacosTools
  /** Arguments of each run of sandbox-exec. */
  calls(): string[][]
  /** Arguments of each run of log(1). */
  logCalls(): string[][]
  /** Lines that log(1) streams; `TAG` in it is the tag of the command that is run last. */
  readonly stream: string
}

/**
 * A sandbox-exec that writes its arguments down and, where it would apply a profile, runs what follows them; and a log(1) that
 * streams a file.
 */
export function doubleOf({ exitCode = 0, log = '' }: DoubleOptions = {}): Doubles {
  const directory = makeDirectory()
  const at = (name: string) => join(directory, name)
  const note = (file: string) =>
    `for argument; do printf '%s\\0' "$argument" >> '${file}'; done\nprintf 'END OF CALL\\0' >> '${file}'\n`
  const sandboxExec = program(
    at('sandbox-exec'),
    `${note(at('calls'))}
[ ${exitCode} = 0 ] || { echo 'sandbox-exec: sandbox_apply: Operation not permitted' >&2; exit ${exitCode}; }
printf '%s' "$2" | sed -n 's/.*(with message "\\([^"]*\\)").*/\\1/p' | head -n 1 > '${at('tag')}'
while [ "$1" != -- ]; do shift; done
shift
[ "$1" = /usr/bin/true ] && exit 0
exec "$@"
`,
  )
  writeFileSync(at('stream'), '')
  const told =
    log || `echo 'Filtering the log data using "..."'; exec /usr/bin/tail -n +1 -s 0.02 -F '${at('stream')}'`
  const tools = { sandboxExec, log: program(at('log'), `${note(at('log-calls'))}${told}\n`) }
  return {
    tools,
    calls: () => callsIn(at('calls')),
    logCalls: () => callsIn(at('log-calls')),
    stream: at('stream'),
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

/** Closed after the file's last test: else its reader of the log outlives the process of the tests. */
export function closedAfterFile(tools: Doubles['tools']): Sandbox {
  const sandbox = macosSandbox(tools)
  afterFile(() => sandbox.close?.())
  return sandbox
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

/** A line of `log stream --style ndjson`, with the fields that stand there besides the message. */
export function event(eventMessage: string): string {
  const line = JSON.stringify({
    timezoneName: '',
    messageType: 'Error',
    eventType: 'logEvent',
    source: null,
    formatString: '%s',
    userID: 0,
    activityIdentifier: 0,
    subsystem: 'com.apple.sandbox.reporting',
    category: 'violation',
    threadID: 1234,
    senderImagePath: '/System/Library/Extensions/Sandbox.kext/Contents/MacOS/Sandbox',
    processImagePath: '/kernel',
    eventMessage,
    processID: 0,
    timestamp: '2025-03-01 12:00:00.000000+0100',
  })
  return line.replaceAll('/', '\\/')
}

/** A line of sh that has the log tell these messages about the command itself. */
export function telling({ stream }: Doubles, ...messages: readonly string[]): string {
  const tag = `"$(cat '${join(dirname(stream), 'tag')}')"`
  return messages
    .map((message) => `printf '%s\\n' '${event(`${message}\nTAG`)}' | sed s/TAG/${tag}/ >> '${stream}'`)
    .join('; ')
}
