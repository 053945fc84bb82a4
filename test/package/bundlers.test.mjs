// The library in bundles: without its package beside it, a bundle needs the path of the addon.
import assert from 'node:assert/strict'
import { chmodSync, cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { bun, fetchedProgram, makeProject, run, write } from './place.mjs'

/** Prints what came of it. GIVEN: the path that is given as an option. */
const app = `
import { openShell } from 'vitrine'

async function main() {
  const shell = await openShell({ mode: 'read', addon: process.env.GIVEN })
  const seen = await shell.execute({ command: 'cat; echo x > made', stdin: 'seen' })
  const saved = await shell.execute({ command: 'seq 20000' })
  const { verdict } = await shell.decide({ command: 'touch x' })
  await shell.close()
  console.log(JSON.stringify([seen.stdout, seen.exitCode === 0, saved.scratchpad?.bytes, verdict]))
}

main().catch(({ code, message }) => console.log(JSON.stringify([code, message])))
`
const worked = ['seen', false, 108_894, 'allow']

const esbuild = (file) => (project) => {
  const program = fetchedProgram(`@esbuild/linux-${process.arch}@0.28.2`, 'bin/esbuild')
  const options = ['--bundle', '--platform=node', '--target=node20', '--log-level=error']
  const format = file.endsWith('.cjs') ? 'cjs' : 'esm'
  return run(project, program, ['main.mjs', ...options, `--outfile=${file}`, `--format=${format}`])
}
const bundles = [
  ['esbuild, ES modules', 'app.mjs', esbuild('app.mjs')],
  ['esbuild, CommonJS', 'app.cjs', esbuild('app.cjs')],
  [
    'bun build --compile',
    'app',
    (project) => run(project, bun(), ['build', '--compile', 'main.mjs', '--outfile', 'app']),
  ],
]

for (const [name, file, make] of bundles)
  describe(`a bundle made by ${name}`, () => {
    const project = makeProject()
    const addon = join(project, `node_modules/vitrine/prebuilds/linux-${process.arch}/vitrine.node`)
    const alone = mkdtempSync(join(tmpdir(), 'vitrine-bundle-'))
    process.on('exit', () => rmSync(alone, { recursive: true, force: true }))
    const program = (directory) => (file === 'app' ? [join(directory, file)] : [process.execPath, file])
    const told = (directory, env) => {
      const [first, ...rest] = program(directory)
      const { stdout, stderr } = run(directory, first, rest, env)
      assert.match(stdout, /^\[/, stderr)
      return JSON.parse(stdout)
    }

    before(() => {
      write(project, { 'main.mjs': app })
      const { status, stdout, stderr } = make(project)
      assert.equal(status, 0, `${stdout}${stderr}`)
      cpSync(join(project, file), join(alone, file))
      chmodSync(join(alone, file), 0o755)
    })

    it('reads, and cannot write, with the addon that openShell is given, or VITRINE_ADDON names', () => {
      assert.deepEqual(told(alone, { GIVEN: addon }), worked)
      assert.deepEqual(told(alone, { VITRINE_ADDON: addon }), worked)
      assert.equal(existsSync(join(alone, 'made')), false)
      // That of the package beside it.
      if (file !== 'app') assert.deepEqual(told(project, {}), worked)
    })

    it('refuses read mode without an addon, and says how to give it', () => {
      const [code, message] = told(alone, {})
      assert.equal(code, 'SANDBOX_UNAVAILABLE')
      assert.match(message, /openShell\(\{ addon \}\).*VITRINE_ADDON/)
      assert.equal(told(alone, { GIVEN: '/nowhere/vitrine.node' })[0], 'SANDBOX_UNAVAILABLE')
      assert.equal(told(alone, { GIVEN: 'vitrine.node' })[0], 'INVALID_REQUEST')
    })
  })
