// Commands that do what they are asked to.
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'

const modes = ['read', 'write']

async function line({ random, shells }) {
  const text = random.letters(random.between(1, 2000))
  const code = random.between(0, 9)
  const merged = random.chance(3)
  const result = await shells[random.pick(modes)].execute({
    command: `printf %s ${text}; echo error >&2; exit ${code}`,
    merged,
  })
  assert.equal(result.exitCode, code)
  assert.equal(result.stdout, merged ? `${text}error\n` : text)
  assert.equal(result.stderr, merged ? '' : 'error\n')
  assert.deepEqual(result.denials, [])
}

async function input({ random, shells }) {
  const bytes = Buffer.alloc(random.magnitude(1_000_000), 'x')
  const stdin = random.pick([bytes, bytes.toString(), Readable.from([bytes])])
  const reads = !random.chance(4)
  const result = await shells[random.pick(modes)].execute({ command: reads ? 'wc -c' : 'true', stdin })
  assert.equal(result.exitCode, 0)
  if (reads) assert.equal(Number(result.stdout), bytes.length)
}

async function notThere({ random, shells }) {
  const argv = random.pick([
    ['no-such-program'],
    ['/etc/passwd'],
    ['true', ...Array(40).fill('x'.repeat(131_000))],
  ])
  await assert.rejects(shells[random.pick(modes)].execute({ argv }), { code: 'SPAWN_FAILED' })
}

async function ownSignal({ random, shells }) {
  const signal = random.pick(['KILL', 'SEGV', 'TERM', 'USR1', 'ABRT'])
  const result = await shells[random.pick(modes)].execute({ command: `kill -${signal} $$; sleep 5` })
  assert.equal(result.signal, `SIG${signal}`)
}

async function manyAtOnce({ random, shells }) {
  const numbers = Array.from({ length: random.between(2, 40) }, (_, at) => at)
  const shell = shells[random.pick(modes)]
  const run = (at) => shell.execute({ command: `echo ${at}; sleep 0.0${at % 10}`, timeoutMs: 60_000 })
  const results = await Promise.all(numbers.map(run))
  assert.deepEqual(
    results.map(({ stdout }) => Number(stdout)),
    numbers,
  )
}

async function toggled({ random, shells, place }) {
  const shell = await shells.openShell({ cwd: place.ground, mode: 'write' })
  shell.mode = 'read'
  const refused = await shell.execute({ command: `echo x > file` })
  shell.mode = 'write'
  const { stdout } = await shell.execute({ command: `cat file; echo ${random.between(0, 9)} >/dev/null` })
  await shell.close()
  assert.notEqual(refused.exitCode, 0)
  assert.equal(stdout, 'kept')
}

export const plain = [
  { name: 'a line', weight: 20, run: line },
  { name: 'input', weight: 10, run: input },
  { name: 'a program that cannot be run', weight: 4, run: notThere },
  { name: 'its own signal', weight: 4, run: ownSignal },
  { name: 'many at once', weight: 4, run: manyAtOnce },
  { name: 'one shell in both modes', weight: 4, run: toggled },
]
