// What tries to outlive its command.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { ownComet } from '../place.mjs'
import { aliveWith, end, isLocked, waitFor } from '../processes.mjs'

const kinds = ['deaf', 'stopped', 'closed-streams', 'own-group', 'no-parent-death']

async function daemons({ random, shells, place, marker, gone }) {
  const { daemon, deserter, headless } = place.programs
  const left = random.pick([
    `${daemon} ${random.between(1, 30)} exit ${marker}`,
    `${deserter} ${random.pick(kinds)} ${marker}`,
    `${headless} ${marker} & sleep 0.1`,
    `(sleep ${marker} >/dev/null 2>&1 &)`,
  ])
  const result = await shells.read.execute({ command: left })
  await gone()
  assert.equal(result.exitCode, 0)
  assert.ok(result.survivorsKilled > 0)
}

async function bomb({ random, shells, place, marker, gone }) {
  const how = random.pick(['exit', 'stay'])
  const command = `${place.programs.bomb} ${random.between(20, 120)} ${how} ${marker}`
  const result = await shells.read.execute({ command, timeoutMs: 3000 })
  await gone()
  assert.ok(result.exitCode === 0 || result.timedOut, JSON.stringify(result.outcome))
}

async function comet({ random, shells, place, marker, step, gone }) {
  const program = ownComet(place, step)
  const how = random.pick(['exit', 'stay'])
  await shells.read.execute({ command: `${program} ${how} ${marker}`, timeoutMs: 300 })
  const landed = await waitFor(() => !isLocked(program), 500)
  rmSync(program)
  await gone()
  assert.ok(landed, 'a comet still flies')
}

async function background({ random, shells, marker, gone }) {
  const count = random.between(1, 5)
  const command = `for i in $(seq ${count}); do sleep ${marker} & done; echo started`
  const { background } = await shells.write.execute({ command })
  assert.equal(background?.count, count)
  assert.equal(aliveWith(marker).length, count)
  end(-background.group)
  await gone()
}

async function daemonsOfWriteMode({ random, shells, place, marker, gone }) {
  const command = `${place.programs.daemon} ${random.between(1, 10)} stay ${marker}`
  const result = await shells.write.execute({ command, timeoutMs: random.between(100, 500) })
  assert.equal(result.timedOut, true)
  await gone()
}

export const processes = [
  { name: 'daemons', weight: 8, run: daemons },
  { name: 'a fork bomb', weight: 2, run: bomb },
  { name: 'a comet', weight: 2, run: comet },
  { name: 'background children of write mode', weight: 4, run: background },
  { name: 'daemons of write mode at their deadline', weight: 4, run: daemonsOfWriteMode },
]
