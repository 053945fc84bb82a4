// TypeScript of many versions, in each way to find a package, and what it makes runs.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { installedTool, makeProject, run, write } from './place.mjs'

const user = `
import { openShell, VitrineError, type Result, type Shell } from 'vitrine'
import { runTool, type ToolAnswer } from 'vitrine/tool'

export async function main(): Promise<void> {
  const shell: Shell = await openShell({ mode: 'read' })
  const result: Result = await shell.execute({ command: 'echo seen; echo x > made' })
  const answer: ToolAnswer = await runTool(shell, { command: 'echo told' })
  const error: unknown = await shell.execute({ command: ' ' }).catch((reason: unknown) => reason)
  await shell.close()
  console.log(result.stdout.trim(), answer.text.trim(), error instanceof VitrineError)
}
void main()
`

/** A declaration that is wrong must not pass: else nothing of the types was found. */
const wrong = `
import { openShell } from 'vitrine'
export const shell: Promise<number> = openShell({ mode: 'look' })
`

const ways = { node10: 'commonjs', node16: 'node16', nodenext: 'nodenext', bundler: 'esnext' }

for (const version of ['5.0.4', '5.4.5', '5.7.3', '5.8.3'])
  for (const type of ['commonjs', 'module'])
    describe(`TypeScript ${version} in a project of type ${type}`, () => {
      const project = makeProject({ type, packages: ['@types/node@20.19.43'] })
      write(project, { 'user.ts': user, 'wrong.ts': wrong })
      const compile = (file, way, ...more) => {
        const tsc = join(installedTool(`typescript@${version}`), 'typescript/bin/tsc')
        const options = ['--strict', '--skipLibCheck', '--target', 'es2022', '--types', 'node', ...more]
        const how = ['--moduleResolution', way, '--module', ways[way]]
        return run(project, process.execPath, [tsc, ...options, ...how, file])
      }

      for (const way of Object.keys(ways))
        it(`finds the types by ${way}`, () => {
          const { status, stdout } = compile('user.ts', way, '--noEmit')
          assert.equal(status, 0, stdout)
          assert.match(compile('wrong.ts', way, '--noEmit').stdout, /TS2322/)
        })

      it('makes what runs', () => {
        assert.equal(compile('user.ts', 'node16', '--outDir', 'out').status, 0)
        const { stdout, stderr } = run(project, process.execPath, ['out/user.js'])
        assert.equal(stdout, 'seen told true\n', stderr)
      })
    })

describe('a process that imports and requires vitrine', () => {
  it('gets the same names, and each of both works', () => {
    const project = makeProject()
    const script = `
      import * as imported from 'vitrine'
      import { createRequire } from 'node:module'
      const required = createRequire(import.meta.url)('vitrine')
      console.log(Object.keys(imported).sort().join() === Object.keys(required).sort().join())
      const shells = await Promise.all([imported, required].map(({ openShell }) => openShell({ mode: 'read' })))
      const results = await Promise.all(shells.map((shell) => shell.execute({ command: 'echo seen; echo x > made' })))
      console.log(results.map(({ stdout, exitCode }) => stdout.trim() + (exitCode !== 0)).join())
      for (const shell of shells) await shell.close()`
    write(project, { 'user.mjs': script })
    const { stdout, stderr } = run(project, process.execPath, ['user.mjs'])
    assert.equal(stdout, 'true\nseentrue,seentrue\n', stderr)
  })
})
