// The library in bundles: without its package beside it, a bundle needs the path of the addon.
import assert from 'node:assert/strict'
import { chmodSync, cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { fetchedProgram, makeProject, run, write } from './place.mjs'

const arm = process.arch === 'arm64'
const esbuild = () => fetchedProgram(`@esbuild/linux-${process.arch}@0.28.2`, 'bin/esbuild')
const bun = () => fetchedProgram(`@oven/bun-linux-${arm ? 'aarch64' : 'x64'}@1.4.5`, 'bin/bun')

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

/** How each bundle is made, and run. */
const bundles = {
  'esbuild, ES modules': {
    make: (project) => bundled(project, 'app.mjs', ['--format=esm']),
    run: (directory, env) => run(directory, process.execPath, ['app.mjs'], env),
    file: 'app.mjs',
  },
  'esbuild, CommonJS': {
    make: (project) => bundled(project, 'app.cjs', ['--format=cjs']),
    run: (directory, env) => run(directory, process.execPath, ['app.cjs'], env),
    file: 'app.cjs',
  },
  'bun build --compile': {
    make: (project) => run(project, bun(), ['build', '--compile', 'main.mjs', '--outfile', 'app']),
    run: (directory, env) => run(directory, join(directory, 'app'), [], env),
    file: 'app',
  },
}

function bundled(project, file, options) {
  const args = ['main.mjs', '--bundle', '--platform=node', '--target=node20', `--outfile=${file}`, ...options]
  return run(project, esbuild(), args)
}

for (const [name, bundle] of Object.entries(bundles))
  describe(`a bundle made by ${name}`, () => {
    const project = makeProject()
    const addon = join(project, `node_modules/vitrine/prebuilds/linux-${process.arch}/vitrine.node`)
    const alone = mkdtempSync(join(tmpdir(), 'vitrine-bundle-'))
    process.on('exit', () => rmSync(alone, { recursive: true, force: true }))
    const told = (directory, env) => {
      const { stdout, stderr } = bundle.run(directory, env)
      assert.match(stdout, /^\[/, stderr)
      return JSON.parse(stdout)
    }

    before(() => {
      write(project, { 'main.mjs': app })
      const { status, stdout, stderr } = bundle.make(project)
      assert.equal(status, 0, `${stdout}${stderr}`)
      cpSync(join(project, bundle.file), join(alone, bundle.file))
      chmodSync(join(alone, bundle.file), 0o755)
    })

    it('reads, and cannot write, with the addon that openShell is given', () => {
      assert.deepEqual(told(alone, { GIVEN: addon }), worked)
      assert.equal(existsSync(join(alone, 'made')), false)
    })

    it('finds the addon that VITRINE_ADDON names', () => {
      assert.deepEqual(told(alone, { VITRINE_ADDON: addon }), worked)
    })

    it('refuses read mode without an addon, and says how to give it', () => {
      const [code, message] = told(alone, {})
      assert.equal(code, 'SANDBOX_UNAVAILABLE')
      assert.match(message, /openShell\(\{ addon \}\).*VITRINE_ADDON/)
    })

    it('refuses a path that leads to no addon', () => {
      assert.equal(told(alone, { GIVEN: '/nowhere/vitrine.node' })[0], 'SANDBOX_UNAVAILABLE')
      assert.equal(told(alone, { GIVEN: 'vitrine.node' })[0], 'INVALID_REQUEST')
    })

    if (name.startsWith('esbuild'))
      it('finds the addon of the package beside it', () => {
        assert.deepEqual(told(project, {}), worked)
      })
  })
