import { constants } from 'node:os'
import { Writable } from 'node:stream'
import { cannotConfine } from '../sandbox/sandbox.ts'
import type { NativeEnd, SpawnRecord, WindowsAddon } from './addon.ts'
import { type Launcher, type LaunchRequest, neverStarted, type ProcessEnd, pump } from './launch.ts'
import { batched, processEnd, recordOf } from './native.ts'

/** By the Windows addon: job, integrity level and handle list are set up in native code. */
export function windowsLauncher(addon: WindowsAddon): Launcher {
  return {
    name: 'native',
    terminals: false,
    sessions: false,
    limits: { wanted: 'the native addon on Linux', got: 'Windows', remedy: 'run it on Linux' },
    launch(request, events) {
      let flushed = () => {}
      const spawned = addon.spawn(windowsRecord(request), (event) => {
        if (event.kind === 'output') events.output(event.stream, event.bytes)
        else if (event.kind === 'written') flushed()
        else if (event.kind === 'ended' || event.kind === 'failed') events.end(windowsEnd(event))
      })
      if (spawned.kind === 'failed') return neverStarted(windowsEnd(spawned), events)
      if (request.tellsStart) queueMicrotask(() => events.started())
      const { id } = spawned
      const { stdin } = request
      const input =
        stdin === null
          ? null
          : inputOf(addon, id, (callback) => {
              flushed = callback
            })
      // A Node descriptor means nothing to the addon, so its contents are pumped.
      if (input && typeof stdin === 'number') pump(stdin, input)
      return {
        stdin: stdin === 'pipe' ? input : null,
        signal: (name) => addon.signal(id, constants.signals[name]),
        terminate: () => addon.terminate(id),
        destroy: () => addon.kill(id),
        consumed: batched((bytes) => addon.consumed(id, bytes)),
      }
    },
  }
}

function windowsRecord(request: LaunchRequest): SpawnRecord {
  const { confinement, commandLine, stdin } = request
  if (confinement && confinement.kind !== 'low-integrity') throw cannotConfine('windows', confinement.kind)
  if (commandLine === undefined) throw new Error('the Windows launcher needs a command line')
  return { ...recordOf(request, confinement), argv: [commandLine], stdin: stdin === null ? null : 'pipe' }
}

/** @param next what is to be called once the addon has written the chunk */
function inputOf(addon: WindowsAddon, id: number, next: (flushed: () => void) => void): Writable {
  const close = () => addon.closeStdin(id)
  return new Writable({
    decodeStrings: true,
    write(chunk: Buffer, _encoding, callback) {
      if (chunk.length === 0) return callback()
      next(() => {
        next(() => {})
        callback()
      })
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
  return processEnd(end, ({ step, errno }) =>
    step === 'integrity'
      ? `integrity level 0x${errno.toString(16)}, above Low`
      : (errors[errno] ?? `Windows error ${errno}`),
  )
}
