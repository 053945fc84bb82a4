// Refused calls: singly, in storms, and from callers that die meanwhile.
import assert from 'node:assert/strict'

/**
 * Every refused call is counted, and nothing else. A lookup that took too long tells the path as given, or none: a row of
 * its own, so the rows are added up.
 */
function assertRefused({ denials }, ground, { operation, name, count }) {
  assert.equal(
    denials.reduce((sum, row) => sum + row.count, 0),
    count,
  )
  for (const row of denials) {
    assert.equal(row.operation, operation)
    assert.ok([undefined, name, `${ground}/${name}`].includes(row.path), row.path)
  }
}

async function single({ random, shells, place }) {
  const [command, operation, name, count] = random.pick([
    ['echo x > file', 'write', 'file', 1],
    ['rm -f file', 'delete', 'file', 1],
    ['mkdir sub/a', 'create', 'sub/a', 1],
    ['touch -c file', 'metadata', 'file', 1],
    ['mv file other', 'rename', 'file', 1],
    ['for i in 1 2 3; do echo x > new; done', 'create', 'new', 3],
  ])
  assertRefused(await shells.read.execute({ command }), place.ground, { operation, name, count })
}

async function storm({ random, shells, place }) {
  const count = 8 * random.between(1, 1500)
  const command = `${place.programs.attempts} flood file ${count}`
  const result = await shells.read.execute({ command, timeoutMs: 60_000 })
  assert.equal(result.exitCode, 0)
  assertRefused(result, place.ground, { operation: 'write', name: 'file', count })
}

async function dying({ shells, place }) {
  const command = `${place.programs.supervisor} 'die asking' file`
  const result = await shells.read.execute({ command, timeoutMs: 60_000 })
  assert.equal(result.stdout, 'errno EACCES\n')
}

async function stormThatIsKilled({ random, shells, place, marker, gone }) {
  const command = `while :; do ${place.programs.attempts} flood file 4000 ${marker}; done & exec sleep ${marker}`
  const result = await shells.read.execute({ command, timeoutMs: random.between(1, 300) })
  assert.equal(result.timedOut, true)
  await gone()
}

export const denials = [
  { name: 'a refused call', weight: 8, run: single },
  { name: 'a storm of refused calls', weight: 4, run: storm },
  { name: 'callers that die meanwhile', weight: 2, run: dying },
  { name: 'a storm that is killed', weight: 3, run: stormThatIsKilled },
]
