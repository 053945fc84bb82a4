import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { makeDirectory } from '../../helpers/place.ts'
import { aliveWith, allProcesses } from '../../helpers/processes.ts'
import { readable } from '../../helpers/programs.ts'

/** A plain node process that runs the built library, to die. */
export interface Host {
  readonly child: ChildProcess
  /** Every line has said that it started. */
  readonly ready: Promise<unknown>
  /** The first of its commands has its result. */
  readonly finished: Promise<unknown>
  readonly ended: Promise<unknown>
  /** Resolves when it has ended of that. */
  kill(signal?: NodeJS.Signals): Promise<unknown>
}

interface HostOptions {
  /** Shell words that come before the host is executed. */
  readonly before?: string
  readonly uid?: number
}

/**
 * Starts a host: test/fixtures/host/host.mjs.
 * @param end how it ends once every line has started; `wait`: not by itself
 */
export function startHost(
  end: string,
  mode: string,
  lines: readonly string[],
  { before = 'true', uid }: HostOptions = {},
): Host {
  const script = join(readable, 'test/fixtures/host/host.mjs')
  const [directory, own] = [makeDirectory(), makeDirectory()]
  for (const each of [directory, own]) {
    chmodSync(each, 0o755) // it may run as another user
    if (uid !== undefined) chownSync(each, uid, uid)
  }
  const argv = [process.execPath, script, directory, end, mode, ...lines]
  const child = spawn('sh', ['-c', `${before} && exec "$@"`, 'sh', ...argv], {
    stdio: ['ignore', 'pipe', 'ignore'],
    ...(uid !== undefined && {
      uid,
      gid: uid,
      env: { ...process.env, XDG_CONFIG_HOME: own, XDG_STATE_HOME: own },
    }),
  })
  const says = (word: string) => untilItSays(child.stdout, word)
  const ended = once(child, 'exit')
  const early = ended.then(() => Promise.reject(new Error('the host ended before it was ready')))
  return {
    child,
    ready: Promise.race([says('ready'), early]),
    finished: says('finished'),
    ended,
    kill(signal = 'SIGKILL') {
      child.kill(signal)
      return ended
    },
  }
}

function untilItSays(stream: Readable, word: string): Promise<void> {
  let text = ''
  return new Promise((resolve) => {
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      if (text.includes(word)) resolve()
    })
  })
}

/** Process ids of its watchers that run. */
export function watchersOf(pid: number | undefined): number[] {
  return allProcesses()
    .filter(
      ({ parent, running, commandLine }) =>
        parent === pid && running && commandLine.startsWith('vitrine-watcher'),
    )
    .map(({ pid }) => pid)
}

/** The processes that carry the marker, without the host itself, which got it as an argument. */
export function commandsOf({ child }: Host, marker: string): number[] {
  return aliveWith(marker).filter((pid) => pid !== child.pid)
}
