// Refused calls: singly, in storms, and from callers that change or die meanwhile.
import assert from 'node:assert/strict'

// Refusals by what they would have reached. A lookup that took too long tells the path as given: a row of its own.
function shorts({ denials }, ground) {
  const counts = new Map()
  for (const { operation, path, count } of denials) {
    const key = `${operation} ${path?.replace(`${ground}/`, '')}`
    counts.set(key, (counts.get(key) ?? 0) + count)
  }
  return [...counts].map(([key, count]) => `${key} x${count}`)
}

async function single({ random, shells, place }) {
  const [command, denied] = random.pick([
    ['echo x > file', 'write file x1'],
    ['rm -f file', 'delete file x1'],
    ['mkdir sub/a', 'create sub/a x1'],
    ['touch -c file', 'metadata file x1'],
    ['mv file other', 'rename file x1'],
    ['for i in 1 2 3; do echo x > new; done', 'create new x3'],
  ])
  assert.deepEqual(shorts(await shells.read.execute({ command }), place.ground), [denied])
}

async function storm({ random, shells, place }) {
  const count = 8 * random.between(1, 1500)
  const command = `${place.programs.attempts} flood file ${count}`
  const result = await shells.read.execute({ command, timeoutMs: 60_000 })
  assert.equal(result.exitCode, 0)
  assert.deepEqual(shorts(result, place.ground), [`write file x${count}`])
}

async function race({ random, shells, place }) {
  const command = `${place.programs.attempts} race file ${random.between(10, 3000)}`
  const result = await shells.read.execute({ command, timeoutMs: 60_000 })
  assert.equal(result.stdout, 'race 0 \n')
}

async function dying({ random, shells, place }) {
  const command = `${place.programs.attempts} killed file ${random.between(1, 40)}`
  assert.equal((await shells.read.execute({ command, timeoutMs: 60_000 })).exitCode, 0)
}

async function stormThatIsKilled({ random, shells, place, marker, gone }) {
  const command = `while :; do ${place.programs.attempts} flood file 4000 ${marker}; done & exec sleep ${marker}`
  const result = await shells.read.execute({ command, timeoutMs: random.between(1, 300) })
  assert.equal(result.timedOut, true)
  await gone()
}

async function manyTargets({ random, shells }) {
  const count = random.between(1, 200)
  const { denials } = await shells.read.execute({
    command: `for i in $(seq ${count}); do echo x > new-$i; done`,
  })
  assert.ok(denials.length <= 65)
  assert.equal(
    denials.reduce((sum, row) => sum + row.count, 0),
    count,
  )
}

export const denials = [
  { name: 'a refused call', weight: 8, run: single },
  { name: 'a storm of refused calls', weight: 4, run: storm },
  { name: 'a path that changes meanwhile', weight: 2, run: race },
  { name: 'callers that die meanwhile', weight: 2, run: dying },
  { name: 'a storm that is killed', weight: 3, run: stormThatIsKilled },
  { name: 'refusals of many targets', weight: 2, run: manyTargets },
]
