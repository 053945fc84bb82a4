// Other hosts, other threads, and the watcher's own end.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { root } from '../place.mjs'
import { end, ownChildren, pause } from '../processes.mjs'

const hostScript = join(root, 'test/fixtures/host/host.mjs')
const workerScript = fileURLToPath(new URL('../worker.mjs', import.meta.url))

async function killedHost({ random, place, marker, gone }) {
  const { daemon, bomb } = place.programs
  const mode = random.pick(['read', 'write'])
  const lines = [
    `${daemon} ${random.between(1, 5)} stay ${marker}`,
    `trap '' TERM HUP; echo started; sleep ${marker}`,
    ...(mode === 'read' && random.chance(3) ? [`${bomb} ${random.between(10, 60)} stay ${marker}`] : []),
  ]
  const stdio = ['ignore', 'pipe', 'ignore']
  const host = spawn(process.execPath, [hostScript, place.ground, 'wait', mode, ...lines], { stdio })
  const ended = once(host, 'exit')
  await Promise.race([once(host.stdout, 'data'), ended])
  if (random.chance(2)) await pause(random.between(0, 100))
  host.kill(random.pick(['SIGKILL', 'SIGKILL', 'SIGSEGV', 'SIGTERM', 'SIGABRT']))
  await ended
  await gone()
}

async function endedWorker({ random, place, marker, gone }) {
  const worker = new Worker(workerScript, { workerData: { ground: place.ground, marker } })
  const exited = once(worker, 'exit')
  await once(worker, 'message')
  await pause(random.between(0, 100))
  await worker.terminate()
  await exited
  await gone()
}

async function killedWatcher({ shells }) {
  const watcher = ownChildren().find(({ commandLine: line }) => line.startsWith('vitrine-watcher'))
  if (watcher) end(watcher.pid)
  assert.equal((await shells.read.execute({ command: 'echo still' })).stdout, 'still\n')
}

export const hosts = [
  { name: 'a host that is killed', weight: 2, run: killedHost },
  { name: 'a worker thread that is terminated', weight: 3, run: endedWorker },
  { name: 'the watcher is killed', weight: 1, run: killedWatcher },
]
