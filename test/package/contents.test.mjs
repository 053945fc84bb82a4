import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'

const { unpackedSize, files } = JSON.parse(process.env.VITRINE_PACKED)
const sizeOf = (name) => statSync(new URL(`../../${name}`, import.meta.url)).size

/** Built on Windows alone, and added by a release. */
const added = 'prebuilds/win32-arm64/vitrine.node'

/** What a package holds, and nothing else. */
const expected = [
  /^package\.json$/,
  /^(README|LICENSE|SECURITY|CHANGELOG|ARCHITECTURE|CONTRIBUTING)(\.md)?$/,
  /^docs\/[\w./-]+\.(md|svg)$/,
  /^examples\/[\w.-]+\.(mjs|md)$/,
  /^config\.(example\.toml|schema\.json)$/,
  /^dist\/[\w./-]+\.(js|cjs|d\.c?ts)$/,
  /^deploy\/(nginx\.conf|ingress\.yaml)$/,
  /^completions\/vitrine\.(bash|fish|zsh)$/,
  /^dist\/THIRD-PARTY\.txt$/,
  /^prebuilds\/linux-x64\/vitrine\.node$/,
  /^prebuilds\/linux-arm64\/vitrine\.node$/,
  /^prebuilds\/win32-x64\/vitrine\.node$/,
  /^src\/sandbox\/macos\.sbpl$/,
  /^src\/sandbox\/docker\/Dockerfile$/,
]

test('the package holds what it should and nothing else', () => {
  assert.deepEqual(
    files.filter((file) => file !== added && !expected.some((pattern) => pattern.test(file))),
    [],
  )
  for (const pattern of expected)
    assert.ok(
      files.some((file) => pattern.test(file)),
      String(pattern),
    )
})

test('every file that its documents link to is in it', () => {
  const isPacked = (to) => files.some((file) => file === to || file.startsWith(`${to.replace(/\/$/, '')}/`))
  const links = files.filter((file) => file.endsWith('.md')).flatMap(linksOf)
  assert.ok(links.length > 20)
  assert.deepEqual(
    links.filter(({ to }) => !isPacked(to)),
    [],
  )
})

/** The relative links of a document, from the root of the package. */
function linksOf(document) {
  const text = readFileSync(new URL(`../../${document}`, import.meta.url), 'utf8')
  return [...text.matchAll(/\]\(([^)#\s]+)/g)]
    .map(([, to]) => to)
    .filter((to) => !/^[a-z]+:/.test(to))
    .map((to) => ({ document, to: join(dirname(document), to) }))
}

test('it passes on the terms of what is bundled into it', () => {
  const notices = readFileSync(new URL('../../dist/THIRD-PARTY.txt', import.meta.url), 'utf8')
  const bundled =
    '@modelcontextprotocol/server zod @cfworker/json-schema valibot smol-toml toml-eslint-parser'
  for (const name of [...bundled.split(' '), 'jsonc-parser', 'unbash'])
    assert.match(notices, new RegExp(`^${name} \\d`, 'm'))
})

test('it takes at most 3.6 MB, with what a release adds', (t) => {
  // Windows on ARM takes about as much as the other.
  const more = files.includes(added) ? 0 : sizeOf('prebuilds/win32-x64/vitrine.node')
  t.diagnostic(`${unpackedSize} bytes unpacked, and ${more} to come`)
  assert.ok(unpackedSize + more <= 3_600_000, `${unpackedSize} bytes, and ${more} to come`)
})
