// Other hosts, other threads, the command line, and the watcher's own end.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { root } from '../place.mjs'
import { end, ownChildren, pause } from '../processes.mjs'

const hostScript = join(root, 'test/fixtures/host/host.mjs')
const workerScript = fileURLToPath(new URL('../worker.mjs', import.meta.url))
const commandLine = join(root, 'dist/cli.cjs')

// Runs the lines in a host of its own, and ends that once all have started.
async function endHost({ random, place }, mode, lines, env = {}) {
  const host = spawn(process.execPath, [hostScript, place.ground, 'wait', mode, ...lines], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...env },
  })
  const ended = once(host, 'exit')
  await Promise.race([once(host.stdout, 'data'), ended])
  if (random.chance(2)) await pause(random.between(0, 100))
  host.kill(random.pick(['SIGKILL', 'SIGKILL', 'SIGSEGV', 'SIGTERM', 'SIGABRT']))
  await ended
}

async function killedHost(context) {
  const { random, place, marker, gone } = context
  const { daemon, bomb } = place.programs
  const mode = random.pick(['read', 'write'])
  const lines = [
    `${daemon} ${random.between(1, 5)} stay ${marker}`,
    `trap '' TERM HUP; echo started; sleep ${marker}`,
    ...(mode === 'read' && random.chance(3) ? [`${bomb} ${random.between(10, 60)} stay ${marker}`] : []),
  ]
  await endHost(context, mode, lines)
  await gone()
}

// The next host with the same TMPDIR removes its private directory.
async function leftDirectory(context) {
  const { random, place, marker, step, gone } = context
  const temporary = join(place.home, `left-${step}`)
  const env = { TMPDIR: temporary, VITRINE_SHELL_PRIVATE_TMP: 'true' }
  mkdirSync(temporary)
  const fill = `mkdir -p "$TMPDIR/a/b" && head -c ${random.magnitude(1_000_000)} /dev/zero > "$TMPDIR/a/b/c"`
  await endHost(context, 'read', [`${fill}; echo started; sleep ${marker}`], env)
  await gone()
  const next = [commandLine, 'run', '--', 'ls "$TMPDIR"']
  await promisify(execFile)(process.execPath, next, { env: { ...process.env, ...env } })
  const left = readdirSync(temporary, { recursive: true })
  rmSync(temporary, { recursive: true })
  assert.deepEqual(
    left.filter((name) => name !== `vitrine-${process.getuid()}`),
    [],
  )
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

async function cli({ random }) {
  const code = random.between(0, 99)
  const args = [commandLine, 'run', '--json', '--', `echo ${code}; exit ${code}`]
  const run = await promisify(execFile)(process.execPath, args).catch((error) => error)
  assert.equal(run.code ?? 0, code)
  assert.equal(JSON.parse(run.stdout).stdout, `${code}\n`)
}

async function killedWatcher({ shells }) {
  const watcher = ownChildren().find(({ commandLine: line }) => line.startsWith('vitrine-watcher'))
  if (watcher) end(watcher.pid)
  assert.equal((await shells.read.execute({ command: 'echo still' })).stdout, 'still\n')
}

export const hosts = [
  { name: 'a host that is killed', weight: 2, run: killedHost },
  { name: 'a private tmp that a killed host left', weight: 1, run: leftDirectory },
  { name: 'a worker thread that is terminated', weight: 3, run: endedWorker },
  { name: 'the command line', weight: 3, run: cli },
  { name: 'the watcher is killed', weight: 1, run: killedWatcher },
]
