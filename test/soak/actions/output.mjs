// Output: much of it, too much of it, and more than any reader takes.
import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
import { pause } from '../processes.mjs'

// What is kept on disk is checked byte for byte, and removed.
function takeSaved({ scratchpad }) {
  if (!scratchpad) return undefined
  const bytes = readFileSync(scratchpad.path)
  rmSync(scratchpad.path)
  return bytes
}

async function flood({ random, shells }) {
  const count = random.magnitude(8_000_000)
  const shell = shells[random.pick(['read', 'write'])]
  const result = await shell.execute({
    command: `head -c ${count} /dev/zero | tr '\\0' x`,
    timeoutMs: 60_000,
  })
  const saved = takeSaved(result)
  assert.equal(result.bytes, count)
  const wanted = Buffer.alloc(count, 'x')
  assert.ok(
    saved ? saved.equals(wanted) : result.stdout === wanted.toString(),
    'the output is not what was written',
  )
}

async function overTheLimit({ random, shells }) {
  const line = random.pick(['yes', "trap '' TERM; yes", '(yes & yes & yes)'])
  const result = await shells.small.execute({ command: line, timeoutMs: 20_000 })
  takeSaved(result)
  assert.equal(result.outputLimited, true)
}

async function slowListener({ random, shells }) {
  const count = random.between(1, 60) * 65_536
  let heard = 0
  const onOutput = async (_, chunk) => {
    heard += chunk.length
    if (random.chance(4)) await pause(random.between(0, 20))
  }
  const command = `head -c ${count} /dev/zero`
  const result = await shells.read.execute({ command, timeoutMs: 60_000 }, { onOutput, save: false })
  assert.equal(result.bytes, count)
  assert.equal(heard, count)
}

export const output = [
  { name: 'a flood', weight: 8, run: flood },
  { name: 'over the output limit', weight: 4, run: overTheLimit },
  { name: 'a slow listener', weight: 4, run: slowListener },
]
