import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { tarball } = JSON.parse(process.env.VITRINE_PACKED)
const path = [join(root, 'node_modules/.bin'), ...(process.env.PATH ?? '').split(delimiter)]

function clean(program, args) {
  const there = path.some((directory) => existsSync(join(directory, program)))
  const missing = !there && !process.env.VITRINE_REQUIRE_PACKAGE
  test(`${program} finds nothing`, { skip: missing && `${program} is missing (npm run setup)` }, () => {
    const options = { cwd: root, encoding: 'utf8', env: { ...process.env, PATH: path.join(delimiter) } }
    const { status, stdout, stderr } = spawnSync(program, args, options)
    assert.equal(status, 0, `${stdout}${stderr}`)
  })
}

clean('publint', [tarball, '--strict'])
clean('attw', [tarball])
clean('knip', ['--no-progress'])
