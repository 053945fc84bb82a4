import { readFileSync } from 'node:fs'
import { parse } from 'smol-toml'
import { expect, it } from 'vitest'
import { keyEntries } from '../../src/config/schema.ts'
import { configRows, initConfig } from '../../src/config/show.ts'
import { tomlText } from '../../src/config/toml-text.ts'
import { makePlace } from './place.ts'

it('every key has one row, in the schema’s order, with its value and its source', async () => {
  const place = makePlace()
  place.write(place.userFile, '[policy]\ndeny = ["git push"]\n')
  const rows = configRows(await place.load({ env: { VITRINE_SHELL_MODE: 'write' } }))
  expect(rows.map(({ key }) => key)).toEqual([...keyEntries.keys()])
  expect(rows.find(({ key }) => key === 'shell.mode')).toEqual({
    key: 'shell.mode',
    value: 'write',
    text: '"write"',
    source: 'variable',
    where: 'VITRINE_SHELL_MODE',
  })
  expect(rows.find(({ key }) => key === 'policy.deny')).toMatchObject({
    text: '["git push"]',
    source: 'user',
    where: place.userFile,
  })
})

it.each([
  'plain',
  'quote " and \\',
  '\u001b[31m\u0007',
  '\u007f\u009b',
  '\u202eright to left',
  '\u{e0041}',
  'a\nb\tc',
])('the text of %j is one printable line that means the same', (value) => {
  const text = tomlText(value)
  expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
  expect(parse(`a = ${text}`)).toEqual({ a: value })
})

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
