// The library in the other runtimes that load Node's packages and addons: real ones, from the registry.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { bun, fetchedProgram, makeProject, run, write } from './place.mjs'

const arch = process.arch === 'arm64' ? 'arm64' : 'x64'
const deno = () => fetchedProgram(`@deno/linux-${arch}-glibc@2.9.6`, 'deno')
const runtimes = [
  ['Deno', deno, ['run', '-A', '--node-modules-dir=manual', '--cached-only']],
  ['Bun', bun, ['run']],
]

/** Prints what the library's user sees, as one line of JSON. */
const userScript = `
import { readFileSync } from 'node:fs'
import { openShell } from 'vitrine'

const shell = await openShell({ mode: 'read' })
const seen = {}

const large = await shell.execute({ command: 'head -c 10000000 /dev/zero | tr "\\\\0" x', timeoutMs: 60000 })
const saved = readFileSync(large.scratchpad.path, 'utf8')
seen.large = [large.outcome, large.bytes, large.scratchpad.bytes, saved === 'x'.repeat(10000000)]

let told = (_pid) => {}
const started = new Promise((resolve) => { told = resolve })
const abort = new AbortController()
const slow = shell.execute(
  { command: 'echo $$; exec sleep 60' },
  { signal: abort.signal, onOutput: (_, chunk) => told(Number(chunk.toString())) },
)
const pid = await started
abort.abort()
const { cancelled, exitCode } = await slow
seen.aborted = [cancelled, exitCode, isThere(pid)]

const numbers = Array.from({ length: 50 }, (_, number) => number)
const many = await Promise.all(numbers.map((number) => shell.execute({ command: 'cat; head -c 200000 /dev/zero', stdin: 'n' + number })))
seen.many = many.every(({ exitCode, bytes, stdout }, n) => exitCode === 0 && bytes > 200000 && stdout.startsWith('n' + n))

seen.refused = (await shell.execute({ command: 'echo x > made' })).exitCode !== 0
shell.mode = 'write'
seen.written = (await shell.execute({ command: 'echo x > written' })).exitCode
seen.failed = await shell.execute({ argv: ['/nowhere/program'] }).catch(({ code, refusal }) => [code, refusal.errno])
await shell.close()
console.log(JSON.stringify(seen))

function isThere(pid) {
  try {
    return process.kill(pid, 0)
  } catch ({ code }) {
    return code
  }
}
`

for (const [name, program, args] of runtimes)
  describe(`the library in ${name}`, () => {
    it('keeps 10 MB whole, ends what is aborted, runs 50 commands at once, and exits by itself', () => {
      const project = makeProject()
      write(project, { 'user.mjs': userScript })
      const { status, signal, stdout, stderr } = run(project, program(), [...args, 'user.mjs'])
      assert.deepEqual([status, signal], [0, null], `${stdout}${stderr}`)
      assert.deepEqual(JSON.parse(stdout), {
        large: [{ kind: 'exited', code: 0 }, 10_000_000, 10_000_000, true],
        aborted: [true, null, 'ESRCH'],
        many: true,
        refused: true,
        written: 0,
        failed: ['SPAWN_FAILED', 'ENOENT'],
      })
      assert.equal(existsSync(join(project, 'made')), false)
      assert.equal(readFileSync(join(project, 'written'), 'utf8'), 'x\n')
    })
  })
