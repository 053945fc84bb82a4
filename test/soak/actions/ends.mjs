// Ends from outside: deadline, abort, closing, signals.
import assert from 'node:assert/strict'
import { pause } from '../processes.mjs'

const stubborn = (marker) => `trap '' TERM HUP INT; sleep ${marker} & sleep ${marker}; sleep ${marker}`
const obedient = (marker) => `sleep ${marker} & sleep ${marker}`

async function deadline({ random, shells, marker, gone }) {
  const command = random.pick([stubborn, obedient])(marker)
  const timeoutMs = random.between(1, 400)
  const began = performance.now()
  const result = await shells[random.pick(['read', 'write'])].execute({ command, timeoutMs })
  assert.equal(result.timedOut, true)
  await gone()
  return { overrunMs: performance.now() - began - timeoutMs }
}

async function abort({ random, shells, marker, gone }) {
  const controller = new AbortController()
  const command = random.pick([stubborn, obedient])(marker)
  const mode = random.pick(['read', 'write'])
  const running = shells[mode].execute({ command }, { signal: controller.signal })
  const wait = random.between(0, 200)
  if (wait > 0) await pause(wait)
  controller.abort()
  // Aborted before it ran it is thrown.
  const cancelled = await running.then(
    (result) => result.cancelled,
    (error) => error.name === 'AbortError',
  )
  assert.equal(cancelled, true)
  await gone()
}

async function allAtOnce({ random, shells, marker, gone }) {
  const timeoutMs = random.between(5, 60)
  const signal = AbortSignal.timeout(timeoutMs)
  const command = `sleep 0.0${random.between(1, 9)}; exec 3>&1; ${obedient(marker)}`
  const running = shells[random.pick(['read', 'write'])].execute({ command, timeoutMs }, { signal })
  // Aborted before it ran it is thrown.
  const ended = await running.then(
    (result) => result.timedOut || result.cancelled,
    (error) => error === signal.reason,
  )
  assert.ok(ended, 'it ended by itself')
  await gone()
}

async function closed({ random, shells, place, marker, gone }) {
  const shell = await shells.openShell({ cwd: place.ground, mode: random.pick(['read', 'write']) })
  const lines = Array.from({ length: random.between(1, 5) }, () => random.pick([stubborn, obedient])(marker))
  const running = lines.map((command) => shell.execute({ command }))
  await pause(random.between(0, 100))
  await Promise.all([shell.close(), ...running.map((run) => run.catch(assertClosed))])
  await gone()
}

function assertClosed(error) {
  assert.equal(error.code, 'INVALID_REQUEST')
}

async function signalled({ random, shells, place, marker, gone }) {
  const shell = await shells.openShell({ cwd: place.ground, mode: random.pick(['read', 'write']) })
  const onOutput = () => shell.signal('SIGINT')
  const result = await shell.execute({ command: `echo started; exec sleep ${marker}` }, { onOutput })
  assert.equal(result.signal, 'SIGINT')
  await shell.close()
  await gone()
}

async function terminal({ random, shells, marker, gone }) {
  const command = random.pick([stubborn, obedient])(marker)
  const pty = await shells[random.pick(['read', 'write'])].start({ command, pty: true })
  pty.write('typed ahead\n')
  pty.resize(random.between(1, 200), random.between(1, 60))
  await pause(random.between(0, 100))
  pty.kill()
  assert.equal((await pty.result).cancelled, true)
  await gone()
}

export const ends = [
  { name: 'a deadline', weight: 8, run: deadline },
  { name: 'an abort', weight: 8, run: abort },
  { name: 'end, deadline and abort at once', weight: 4, run: allAtOnce },
  { name: 'a shell that is closed', weight: 4, run: closed },
  { name: 'a signal', weight: 3, run: signalled },
  { name: 'a terminal that is closed', weight: 4, run: terminal },
]
