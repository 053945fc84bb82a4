// Commands with a private TMPDIR, and those that go over a limit.
import assert from 'node:assert/strict'

async function privateTmp({ random, shells }) {
  const count = random.magnitude(3_000_000)
  const command = `f=$(mktemp) && head -c ${count} /dev/zero > $f && wc -c < $f; echo "$TMPDIR"`
  const { stdout, denials } = await shells.privateTmp.execute({ command })
  assert.equal(Number.parseInt(stdout, 10), count)
  assert.deepEqual(denials, [])
}

async function privateTmpThatIsKilled({ random, shells, marker, gone }) {
  const command = `cd "$TMPDIR" && mkdir -p a/b/c && yes > a/b/c/d & exec sleep ${marker}`
  await shells.privateTmp.execute({ command, timeoutMs: random.between(50, 300) })
  await gone()
}

// tail holds the bytes until the sleep is over: longer than an interval between two samples.
async function overMemory({ shells }) {
  const command = 'head -c 600000000 /dev/zero | tail -c 550000000 | { sleep 2; wc -c; }'
  const result = await shells.limited.execute({ command })
  assert.ok(result.limited === 'memory' || result.stdout !== '550000000\n', JSON.stringify(result.outcome))
}

async function overProcesses({ shells, place, marker, gone }) {
  const command = `${place.programs.daemon} 200 exit ${marker}`
  const result = await shells.limited.execute({ command, timeoutMs: 15_000 })
  assert.ok(
    result.limited === 'processes' || !result.stdout.includes('started 200'),
    JSON.stringify(result.outcome),
  )
  await gone()
}

export const limits = [
  { name: 'a private tmp', weight: 6, run: privateTmp },
  { name: 'a private tmp that is killed', weight: 4, run: privateTmpThatIsKilled },
  { name: 'over the memory limit', weight: 2, run: overMemory },
  { name: 'over the limit of processes', weight: 2, run: overProcesses },
]
