import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, relative } from 'node:path'
import test from 'node:test'
import { root } from '../../scripts/freshness.mjs'

const leftOut = new Set(['.git', 'node_modules', 'build', 'dist', 'prebuilds'])

test('the install block of README.md gives a new user a vitrine that works', (t) => {
  const place = mkdtempSync(join(tmpdir(), 'vitrine-readme-'))
  t.after(() => rmSync(place, { recursive: true, force: true }))
  const clone = join(place, 'vitrine')
  cpSync(root, clone, {
    recursive: true,
    filter: (path) => !leftOut.has(relative(root, path)) && !path.endsWith('.tgz'),
  })
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'))
  const [, block] =
    /^```sh\n(npm run pack.*?)^```/ms.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? []
  const prefix = join(place, 'prefix')
  const env = {
    ...process.env,
    npm_config_prefix: prefix,
    npm_config_prefer_offline: 'true',
    PATH: [join(prefix, 'bin'), process.env.PATH].join(delimiter),
    XDG_CONFIG_HOME: place,
    XDG_STATE_HOME: place,
  }
  const run = (line) =>
    spawnSync('sh', ['-ec', line], { cwd: clone, encoding: 'utf8', env, timeout: 300_000 })
  const installed = run(block)
  assert.equal(installed.status, 0, installed.stderr)
  assert.ok(existsSync(join(prefix, 'bin/vitrine')))
  const refused = run("vitrine run -- 'echo touched > made'")
  assert.notEqual(refused.status, 0, refused.stdout)
  assert.equal(existsSync(join(clone, 'made')), false)
})
