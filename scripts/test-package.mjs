// The package gate: packs, and runs test/package/ on what npm would give to a user.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './freshness.mjs'
import { npm } from './npm.mjs'

const work = mkdtempSync(join(tmpdir(), 'vitrine-package-'))
try {
  process.exitCode = test(pack())
} finally {
  rmSync(work, { recursive: true, force: true })
}

/** `npm pack` tells each file of the package; its scripts have run already. */
function pack() {
  const packed = npm(['pack', '--json', '--ignore-scripts', '--pack-destination', work], {
    cwd: root,
    encoding: 'utf8',
  })
  if (packed.status !== 0) throw new Error(`npm pack failed: ${packed.stderr}`)
  const [{ filename, unpackedSize, files }] = JSON.parse(packed.stdout)
  return { tarball: join(work, filename), unpackedSize, files: files.map(({ path }) => path) }
}

function test(packed) {
  const directory = join(root, 'test/package')
  const files = readdirSync(directory).filter((name) => name.endsWith('.test.mjs'))
  const { status } = spawnSync(
    process.execPath,
    ['--test', '--test-reporter=spec', ...files.map((name) => join(directory, name))],
    {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, VITRINE_PACKED: JSON.stringify(packed) },
    },
  )
  return status ?? 1
}
