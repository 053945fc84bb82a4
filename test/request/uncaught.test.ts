import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeDirectory } from '../helpers/place.ts'
import { builtLibrary } from '../helpers/programs.ts'

/** A program that lets an error of the library end it. */
function uncaught(body: string, kind: 'module' | 'commonjs') {
  const files = dirname(builtLibrary)
  const script =
    kind === 'module'
      ? `import { openShell } from ${JSON.stringify(builtLibrary)}
         import { runTool } from ${JSON.stringify(join(files, 'tool.js'))}
         const shell = await openShell({ mode: 'write' })
         ${body}`
      : `const { openShell } = require(${JSON.stringify(join(files, 'index.cjs'))})
         const { runTool } = require(${JSON.stringify(join(files, 'tool.cjs'))})
         void openShell({ mode: 'write' }).then(async (shell) => { ${body} })`
  const home = makeDirectory()
  const env = { ...process.env, NODE_OPTIONS: '', XDG_STATE_HOME: home, XDG_CONFIG_HOME: home }
  return spawnSync(process.execPath, [`--input-type=${kind}`, '-e', script], {
    cwd: home,
    env,
    encoding: 'utf8',
  })
}

const faults = [
  ['a wrong request', `await shell.execute({ command: 'x', timeoutMs: -1 })`, 'INVALID_REQUEST'],
  ['a denied command', `await shell.execute({ command: 'rm -rf /' })`, 'DENIED'],
  ['a program that is not there', `await shell.execute({ argv: ['/not/there'] })`, 'SPAWN_FAILED'],
  ['a wrong configuration', `await openShell({ config: '/not/there.toml' })`, 'CONFIG_INVALID'],
  ['the input of a tool', `await runTool(shell, { command: 1 })`, 'INVALID_REQUEST'],
] as const

describe.each(['module', 'commonjs'] as const)('what no program (%s) catches prints a few lines', (kind) => {
  it.each(faults)('where it was thrown: %s', (_, body, code) => {
    const { status, stderr } = uncaught(body, kind)
    expect(status).toBe(1)
    expect(stderr).toMatch(kind === 'module' ? /^VitrineError: .+/m : /VitrineError\]?: .+/)
    expect(stderr).toContain(`code: '${code}'`)
    expect(stderr.split('\n').length).toBeLessThan(60)
    for (const line of stderr.split('\n')) expect(line.length).toBeLessThan(500)
  })
})
