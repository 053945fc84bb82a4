import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'smol-toml'
import { expect, it } from 'vitest'
import { keyEntries } from '../../src/config/schema.ts'
import { initConfig } from '../../src/config/show.ts'
import { tomlText } from '../../src/config/toml.ts'
import { makePlace } from './place.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const exampleFile = join(root, 'config.example.toml')
const example = readFileSync(exampleFile, 'utf8')
// A [[policy.rule]] that counted would not be a default: it stands there as a comment.
const RULE = 'policy.rule'

it('loading the example gives the defaults', async () => {
  const place = makePlace()
  const defaults = await place.load()
  const loaded = await place.load({ configFile: exampleFile })
  expect(loaded.config).toEqual(defaults.config)
})

it('the example sets every key of the schema, in the schema’s order', () => {
  const document = parse(example) as Record<string, Record<string, unknown>>
  const keys = Object.entries(document).flatMap(([section, table]) => {
    return Object.keys(table).map((name) => `${section}.${name}`)
  })
  expect(keys).toEqual([...keyEntries.keys()].filter((key) => key !== RULE))
})

const lines = example.split('\n')

it('every line that is commented out in the example is valid when it counts', async () => {
  const place = makePlace()
  const shown = lines.flatMap((line) => /^# ((?:\w+ = .*)|\[\[.*)$/.exec(line)?.[1] ?? [])
  const lists = shown.filter((line) => /^\w+ = [[{]/.test(line) && !/^(prefix|match|not_match) /.test(line))
  expect(lists.length).toBeGreaterThan(5)
  for (const line of lists) place.write(place.userFile, replaced(line)) && (await place.load())
  place.write(place.userFile, shown.slice(shown.indexOf('[[policy.rule]]')).join('\n'))
  expect((await place.load()).config.policy.rule).toMatchObject([{ prefix: ['git', 'push'], verdict: 'ask' }])
})

it('config.schema.json is what schema and example make, and says what everything is for', () => {
  execFileSync(process.execPath, ['scripts/write-schema.mjs', '--check'], { cwd: root, stdio: 'pipe' })
  const { properties } = JSON.parse(readFileSync(join(root, 'config.schema.json'), 'utf8'))
  const description = expect.stringMatching(/^[^\n]+\.$/)
  for (const { section, name, fallback } of keyEntries.values()) {
    expect(properties[section]).toMatchObject({ description })
    expect(properties[section].properties[name]).toMatchObject({ description, default: fallback })
  }
})

/** The example with a commented line in the place of the one that sets the same key. */
function replaced(line: string): string {
  const [name] = line.split(' = ')
  const [before, after = ''] = example.split(`# ${line}\n`)
  const setting = new RegExp(`^${name} = (\\[\\]|\\["default"\\]|\\{\\}|false)$`, 'm')
  return `${before}${line}\n${after.replace(setting, '')}`
}

const strange = ['\u001b[31m\u0007', '\u007f\u009b', '\u202eright to left', '\u{e0041}', 'a\nb\tc']
it.each(['plain', 'quote " and \\', ...strange])(
  'the text of %j is one printable line that means the same',
  (value) => {
    const text = tomlText(value)
    expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    expect(parse(`a = ${text}`)).toEqual({ a: value })
  },
)

it('init writes every key as a comment, and loading the file gives the defaults', async () => {
  const place = makePlace()
  const outcome = initConfig(place.userFile)
  expect(outcome).toBe('written')
  const written = readFileSync(place.userFile, 'utf8')
  expect(Object.values(parse(written)).flatMap((section) => Object.keys(section))).toEqual([])
  const uncommented = readFileSync('config.example.toml', 'utf8').split('\n')
  expect(written.split('\n')).toEqual(uncommented.map((line) => (/^\w+ = /.test(line) ? `# ${line}` : line)))
  const { config, files } = await place.load()
  expect(config).toEqual((await makePlace().load()).config)
  expect(files).toEqual([{ file: place.userFile, source: 'user', trusted: true }])
})
