import { createReadStream } from 'node:fs'
import { constants } from 'node:os'
import { Writable } from 'node:stream'
import type { NativeEnd, NativeFailure, WindowsAddon } from './addon.ts'
import type { LaunchEvents, LaunchedProcess, Launcher, LaunchRequest, ProcessEnd } from './launch.ts'
import {
  batched,
  commandsOf,
  environmentBlock,
  flag,
  neverStarted,
  processEnd,
  stdinNull,
  stdinPipe,
  streams,
} from './native.ts'

const written = -2

interface Running {
  readonly events: LaunchEvents
  /** Called when the last bytes written to its stdin have been passed on. */
  flushed: (() => void) | undefined
}

/**
 * Starts processes with the Windows addon: job, integrity level and handle list are set up in native code.
 */
export function windowsLauncher(addon: WindowsAddon): Launcher {
  const running = commandsOf<Running>(addon, (commands) => (id, stream, payload) => {
    const command = commands.get(id)
    if (!command) return
    if (stream === written) return flush(command)
    if (stream >= 0) return command.events.output(streams[stream] ?? 'stdout', payload as Buffer)
    commands.delete(id)
    command.events.end(windowsEnd(payload as NativeEnd))
  })
  return {
    name: 'native',
    terminals: false,
    limits: { wanted: 'the native addon on Linux', got: 'Windows', remedy: 'run it on Linux' },
    launch(request, events) {
      const spawned = spawn(addon, request)
      if ('failedStep' in spawned) return neverStarted(spawned, events, windowsEnd)
      const command: Running = { events, flushed: undefined }
      running.set(spawned.id, command)
      return launched(addon, spawned.id, command, request.stdin)
    },
  }
}

function flush(command: Running): void {
  const { flushed } = command
  command.flushed = undefined
  flushed?.()
}

function spawn(addon: WindowsAddon, request: LaunchRequest) {
  const { confinement, merged, stdin } = request
  if (confinement && confinement.kind !== 'low-integrity')
    throw new Error(`the Windows launcher cannot confine by ${confinement.kind}`)
  if (request.commandLine === undefined) throw new Error('the Windows launcher needs a command line')
  return addon.spawn(
    request.candidates.join('\0'),
    request.commandLine,
    environmentBlock(request.environment),
    request.cwd,
    '',
    stdin === null ? stdinNull : stdinPipe,
    (merged ? flag.merged : 0) | (confinement ? flag.confined : 0),
    0,
  )
}

function launched(
  addon: WindowsAddon,
  id: number,
  command: Running,
  stdin: LaunchRequest['stdin'],
): LaunchedProcess {
  const input = stdin === null ? null : inputOf(addon, id, command)
  // A Node descriptor means nothing to the addon, so its contents are pumped.
  if (input && typeof stdin === 'number') pump(stdin, input)
  return {
    stdin: stdin === 'pipe' ? input : null,
    signal: (name) => addon.signal(id, constants.signals[name]),
    terminate: () => addon.terminate(id),
    destroy: () => addon.kill(id),
    consumed: batched((bytes) => addon.consumed(id, bytes)),
  }
}

function pump(fd: number, input: Writable): void {
  const from = createReadStream('', { fd, autoClose: false })
  from.once('error', () => input.end())
  from.pipe(input)
}

function inputOf(addon: WindowsAddon, id: number, command: Running): Writable {
  const close = () => addon.closeStdin(id)
  return new Writable({
    decodeStrings: true,
    write(chunk: Buffer, _encoding, callback) {
      if (chunk.length === 0) return callback()
      command.flushed = callback
      addon.write(id, chunk)
    },
    final(callback) {
      close()
      callback()
    },
    destroy(error, callback) {
      close()
      callback(error)
    },
  })
}

/** WinError.h codes, as the errno names that the rest of vitrine uses. */
const errors: Readonly<Record<number, string>> = {
  2: 'ENOENT',
  3: 'ENOENT',
  5: 'EACCES',
  8: 'ENOMEM',
  87: 'EINVAL',
  193: 'ENOEXEC',
  206: 'E2BIG',
  267: 'ENOTDIR',
  740: 'EACCES',
}

function windowsEnd(end: NativeEnd): ProcessEnd {
  return processEnd(end, nameOf)
}

function nameOf({ failedStep, errno }: NativeFailure): string {
  if (failedStep === 'integrity') return `integrity level 0x${errno.toString(16)}, above Low`
  return errors[errno] ?? `Windows error ${errno}`
}
