// How long a warm decision takes: the line is read, what it names is looked up on disk, the rules decide. Nothing is started.
// node bench/policy.mjs, after npm run build. The bound is 0.15 ms.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openShell } from '../dist/index.js'

const BOUND_MS = 0.15
const WARMING = 2_000
const ROUNDS = 5_000

const lines = [
  'ls -la',
  'git status --short',
  'git log --oneline -20',
  "grep -rn 'openShell' src --include='*.ts' | head -20",
  "find . -name '*.ts' -not -path './node_modules/*' | sort",
  'cd src && git diff --stat HEAD~1 && wc -l *.ts',
  'npm test -- --watch=false 2>&1 | tail -50',
]

/** Milliseconds of each call, sorted. @param {() => Promise<unknown>} call @param {number} rounds */
async function times(call, rounds) {
  const taken = []
  for (let round = 0; round < rounds; round++) {
    const started = performance.now()
    await call()
    taken.push(performance.now() - started)
  }
  return taken.sort((a, b) => a - b)
}

const directory = mkdtempSync(join(tmpdir(), 'vitrine-bench-'))
writeFileSync(join(directory, 'config.toml'), '')
const shell = await openShell({ cwd: '.', mode: 'write', config: join(directory, 'config.toml') })
let slowest = 0
for (const command of lines) {
  const decide = () => shell.decide({ command })
  await times(decide, WARMING)
  const taken = await times(decide, ROUNDS)
  const at = (/** @type {number} */ share) => taken[Math.floor(taken.length * share)] ?? 0
  const { verdict } = await shell.decide({ command })
  slowest = Math.max(slowest, at(0.5))
  console.log(`${at(0.5).toFixed(3)} ms  (p95 ${at(0.95).toFixed(3)})  ${verdict.padEnd(5)}  ${command}`)
}
console.log(`slowest median ${slowest.toFixed(3)} ms, bound ${BOUND_MS} ms`)
await shell.close()
rmSync(directory, { recursive: true })
process.exitCode = slowest <= BOUND_MS ? 0 : 1
