import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Result } from '../../src/base/types.ts'
import { VitrineError } from '../../src/messages/error.ts'
import type { ExecuteRequest } from '../../src/request/request.ts'
import type { Shell } from '../../src/shell.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'
import { endAll, makeMarker, survivors } from '../helpers/processes.ts'
import { addonless } from './hosts.ts'

interface Launchers {
  readonly native: Shell
  readonly execa: Shell
}

/** In write mode the launcher must not show, whichever it is. */
async function openBoth(graceMs: number): Promise<Launchers> {
  const cwd = makeDirectory()
  const env = { XDG_STATE_HOME: cwd, XDG_CONFIG_HOME: cwd }
  const options = { mode: 'write', cwd, toml: `[shell]\nkill_grace_ms = ${graceMs}\n`, env } as const
  return {
    native: await openTestShell(options),
    execa: await openTestShell({ ...options, host: addonless() }),
  }
}

let impatient: Launchers
/** For a command that ends by itself in the grace, however long a busy machine takes over it. */
let patient: Launchers
let execa: Shell
let marker = makeMarker()

beforeAll(async () => {
  impatient = await openBoth(100)
  patient = await openBoth(60_000)
  execa = impatient.execa
})

afterEach(async () => {
  await endAll(marker)
  marker = makeMarker()
})

/** What must be equal: all but times, numbers of processes, and the count of the sweep, which execa has not. */
function comparable(result: Result) {
  const { durationMs: _, survivorsKilled: __, background, ...rest } = result
  return { ...rest, background: background && { count: background.count > 0 } }
}

/** What both launchers make of it. A deadline is set later until it comes after the words with which a command begins. */
async function both({ request, words = '', ...row }: Row) {
  const { native, execa } = row.patient ? patient : impatient
  for (let timeoutMs = request.timeoutMs; ; timeoutMs = timeoutMs && timeoutMs * 2) {
    const outcomes = await outcomesOf({ native, execa }, { ...request, timeoutMs })
    const begun = Object.values(outcomes).every(
      (outcome) => 'code' in outcome || outcome.stdout.startsWith(words),
    )
    if (begun || timeoutMs === undefined || timeoutMs > 60_000) return outcomes
  }
}

async function outcomesOf({ native, execa }: Launchers, request: ExecuteRequest) {
  const outcome = async (shell: Shell) => {
    try {
      return comparable(await shell.execute(request))
    } catch (error) {
      if (error instanceof VitrineError) return { code: error.code, message: error.message }
      throw error
    }
  }
  return { native: await outcome(native), execa: await outcome(execa) }
}

interface Row {
  readonly what: string
  readonly request: ExecuteRequest
  /** With a deadline: what the command writes first. */
  readonly words?: string
  readonly patient?: true
}

const requests: readonly Row[] = [
  { what: 'exit code 0', request: { command: 'true' } },
  { what: 'exit code 3', request: { command: 'exit 3' } },
  { what: 'both streams', request: { command: 'echo out; echo err >&2' } },
  { what: 'one pipe for both', request: { command: 'echo 1; echo 2 >&2; echo 3; echo 4 >&2', merged: true } },
  {
    what: 'one pipe for both, with argv',
    request: { argv: ['sh', '-c', 'echo 1; echo 2 >&2; echo "$0 $1"', 'a', 'b c'], merged: true },
  },
  { what: 'argv', request: { argv: ['printf', '%s|', 'a b', '$HOME', ''] } },
  { what: 'the name of the shell', request: { command: 'echo $0' } },
  { what: 'a line that begins with a dash', request: { command: '-x' } },
  { what: 'a signal', request: { command: 'kill -KILL $$' } },
  { what: 'SIGTERM from inside', request: { command: 'kill $$' } },
  { what: 'not found in a line', request: { command: 'no-such-program' } },
  { what: 'not found as argv', request: { argv: ['no-such-program'] } },
  { what: 'not found as argv, merged', request: { argv: ['no-such-program'], merged: true } },
  { what: 'not executable', request: { argv: ['/etc/passwd'] } },
  { what: 'a timeout', request: { command: 'echo begun; exec sleep 300', timeoutMs: 300 }, words: 'begun\n' },
  {
    what: 'a timeout of one that ignores SIGTERM',
    request: { command: "trap '' TERM; echo begun; sleep 300; sleep 300", timeoutMs: 300 },
    words: 'begun\n',
  },
  {
    what: 'a timeout of one that has stopped itself',
    request: { command: 'echo begun; kill -STOP $$; exit 3', timeoutMs: 300 },
    words: 'begun\n',
  },
  {
    what: 'a timeout with last words',
    // Without a child: of one that the same SIGTERM ends a shell says "Terminated", or it has ended already.
    request: { command: "trap 'echo bye; exit 4' TERM; echo begun; while :; do :; done", timeoutMs: 300 },
    words: 'begun\n',
    patient: true,
  },
  { what: 'no stdin', request: { command: 'cat; echo end' } },
  { what: 'text as stdin', request: { command: 'cat; echo end', stdin: 'text\n' } },
  { what: 'stdin that is not read', request: { command: 'echo done', stdin: 'x'.repeat(500_000) } },
  { what: 'much output', request: { command: 'seq 200000', scratchpad: 'much' } },
  { what: 'bytes that are not UTF-8', request: { command: "printf 'a\\377b\\0c'", scratchpad: 'bytes' } },
  { what: 'a cwd', request: { command: 'pwd', cwd: '/usr' } },
  {
    what: 'a session and group of its own',
    request: { command: 'test "$(ps -o sid= -p $$)" -eq $$ && test "$(ps -o pgid= -p $$)" -eq $$; echo $?' },
  },
  { what: 'the environment', request: { command: 'env | grep -v ^VITRINE_COMMAND= | sort' } },
]

describe('write mode gives the same with execa as with the addon', () => {
  it.for(requests)('$what', async (row) => {
    const { native, execa } = await both(row)
    // The decision depends on how soon the disk answers, not on the launcher.
    const strip = (outcome: object) => ({
      ...outcome,
      decision: undefined,
      scratchpad: 'scratchpad' in outcome,
    })
    expect(strip(execa)).toEqual(strip(native))
  })
})

describe('write mode without the addon', () => {
  it.for([
    ['in its group', (marker: string) => `sleep ${marker} & echo begun; sleep ${marker}`],
    [
      'deaf to SIGTERM',
      (marker: string) => `trap '' TERM; sleep ${marker} & echo begun; wait; sleep ${marker}`,
    ],
    ['in sessions of their own', (marker: string) => `setsid sleep ${marker} & echo begun; sleep ${marker}`],
  ] as const)('a timeout takes the children along: %s', async ([, line]) => {
    const result = await execa.execute({ command: line(marker), timeoutMs: 400 })
    expect(result).toMatchObject({ timedOut: true, stdout: 'begun\n' })
    expect(await survivors(marker)).toEqual([])
  })

  it('a timeout gives a child of an ended leader the rest of the grace', async () => {
    const cwd = makeDirectory()
    const patient = '[shell]\nkill_grace_ms = 20000\n'
    const shell = await openTestShell({ mode: 'write', cwd, toml: patient, host: addonless() })
    const child = `sh -c 'trap "sleep 0.5; : > asked; exit" TERM; : > there; while :; do sleep 0.02; done'`
    const command = `${child} & until [ -e there ]; do sleep 0.02; done; echo begun; sleep ${marker}`
    const result = await shell.execute({ command, timeoutMs: 2000 })
    expect(result).toMatchObject({ timedOut: true, stdout: 'begun\n' })
    expect(existsSync(join(cwd, 'asked'))).toBe(true)
  })
})
