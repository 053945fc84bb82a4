// Writes config.schema.json from src/config/schema.ts, with the descriptions of config.example.toml. With --check it only says whether the file is up to date.
import { readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { toJsonSchema } from '@valibot/to-json-schema'
import { build } from 'tsdown'
import * as v from 'valibot'
import { root } from './freshness.mjs'

const target = join(root, 'config.schema.json')

/** The schema's module, bundled with what it imports: Node 20 cannot import TypeScript. */
async function importSchema() {
  const directory = await mkdtemp(join(tmpdir(), 'vitrine-schema-'))
  try {
    await build({
      config: false,
      cwd: root,
      entry: { schema: 'src/config/schema.ts' },
      outDir: directory,
      format: 'esm',
      platform: 'node',
      dts: false,
      clean: false,
      logLevel: 'error',
      fixedExtension: true,
      deps: { alwaysBundle: ['valibot'] },
    })
    return await import(pathToFileURL(join(directory, 'schema.mjs')).href)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** What the example says of each section and key: the first line of the comment above it. */
function descriptions() {
  const said = new Map()
  let [section, comment] = ['']
  for (const line of readFileSync(join(root, 'config.example.toml'), 'utf8').split('\n')) {
    const table = /^\[(\w+)\]$/.exec(line)?.[1]
    const [, name] = /^(\w+) = /.exec(line) ?? /^# \[\[\w+\.(\w+)\]\]$/.exec(line) ?? []
    section = table ?? section
    if (table || name) said.set(table ?? `${section}.${name}`, comment)
    comment = line.startsWith('#') ? (comment ?? line.slice(2)) : undefined
  }
  return said
}

async function jsonSchema() {
  const { keyEntries, sectionNames } = await importSchema()
  const said = descriptions()
  const described = (schema, name) => v.pipe(schema, v.description(said.get(name)))
  const entryOf = ({ key, name, schema, fallback }) => [
    name,
    v.optional(described(schema(), key), () => fallback),
  ]
  const tableOf = (section) => {
    const entries = [...keyEntries.values()].filter((entry) => entry.section === section)
    return [section, v.optional(described(v.strictObject(Object.fromEntries(entries.map(entryOf))), section))]
  }
  const document = v.strictObject(Object.fromEntries(sectionNames.map(tableOf)))
  const { $schema, ...schema } = toJsonSchema(document, {
    target: 'draft-07',
    typeMode: 'input',
    ignoreActions: ['check', 'check_items'],
  })
  const title = 'vitrine configuration: config.toml of the user, .vitrine.toml of a project'
  return `${JSON.stringify({ $schema, title, ...schema }, null, 2)}\n`
}

const made = await jsonSchema()
if (!process.argv.includes('--check')) {
  writeFileSync(target, made)
} else if (readFileSync(target, 'utf8') !== made) {
  console.error('config.schema.json is not what src/config/schema.ts makes: run npm run schema')
  process.exitCode = 1
}
