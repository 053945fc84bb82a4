import { mkdtempSync, readSync } from 'node:fs'
import { constants } from 'node:os'
import { words } from '../base/text.ts'
import { unavailable } from '../messages/error.ts'
import { programByPath } from '../request/interpreter.ts'
import { readFrame } from '../sandbox/docker/frames.ts'
import { inside } from '../sandbox/docker/mounts.ts'
import { linuxSandbox } from '../sandbox/linux.ts'
import { readEverything } from '../sandbox/sandbox.ts'
import { type Addon, addonMissing, loadAddon } from './addon.ts'
import { type InsideOrder, insideFrame, neverRan } from './docker-inside.ts'
import type { LaunchRequest, ProcessEnd } from './launch.ts'
import { nativeLauncher } from './native.ts'

/** Runs one command of workspace mode inside of a container. Its output and its end go to stdout, in frames. */
function main(): void {
  outliveSignals()
  try {
    run(JSON.parse(readFrame(readExactly).toString()))
  } catch (error) {
    tell(neverRan(error))
  }
}

/** No byte more: what follows is the command's. */
function readExactly(length: number): Buffer {
  const bytes = Buffer.alloc(length)
  for (let at = 0; at < length; ) {
    const read = readSync(0, bytes, at, length - at, null)
    if (read === 0) throw new Error('the order breaks off')
    at += read
  }
  return bytes
}

function run(order: InsideOrder): void {
  const addon = loadAddon<Addon>(inside.addon)
  if ('missing' in addon) throw unavailable(addonMissing(addon.missing))
  const request = requestOf(addon, order)
  const launched = nativeLauncher(addon, addon.probe()).launch(request, {
    output: (stream, bytes) => {
      process.stdout.write(insideFrame(stream, bytes), () => launched.consumed(bytes.length))
    },
    started: () => {},
    end: tell,
  })
}

/** Throws SANDBOX_UNAVAILABLE unless the container can hold the command. */
function requestOf(addon: Addon, order: InsideOrder): LaunchRequest {
  const { argv, cwd, merged, stdin, network, changes, graceMs } = order
  const sandbox = linuxSandbox(addon.probe(), () => addon.watch(), undefined)
  const confinement = sandbox.confine({
    network: network ? 'all' : 'none',
    reads: readEverything,
    changes,
    privateTmp: false,
  })
  if (confinement.kind !== 'landlock') throw new Error(`not a confinement of Linux: ${confinement.kind}`)
  // Not /tmp itself: the workspace may be in it.
  const temporary = mkdtempSync('/tmp/vitrine-')
  const own = { TMPDIR: temporary, TMP: temporary, TEMP: temporary }
  // Those of this process are what the engine sets in every container.
  const environment = { ...(process.env as Record<string, string>), ...order.environment, ...own }
  return {
    ...programByPath(argv as readonly [string, ...string[]], { cwd, environment }),
    cwd,
    merged,
    tellsStart: false,
    environment,
    stdin: stdin ? 0 : null,
    terminal: null,
    limits: null,
    // The shell that started the container enforces the deadline.
    deadline: { timeoutMs: 0, graceMs },
    confinement: { ...confinement, writable: [temporary] },
  }
}

/** Signals for the command are sent to every process of the container's user, this one included. */
function outliveSignals(): void {
  const unblockable = words('SIGKILL SIGSTOP SIGSEGV SIGBUS SIGILL SIGFPE SIGPROF')
  for (const name of Object.keys(constants.signals) as NodeJS.Signals[])
    if (!unblockable.includes(name)) process.on(name, () => {})
}

function tell(end: ProcessEnd): void {
  process.stdout.write(insideFrame('end', Buffer.from(JSON.stringify(end))), () => process.exit(0))
}

main()
