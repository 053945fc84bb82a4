import { expect, it } from 'vitest'
import { VitrineError } from '../../src/messages/error.ts'
import { makePlace } from './place.ts'

// A repository that was cloned can hold any .vitrine.toml: none may hang, exhaust memory or flood the terminal.
const refused = [
  { name: 'a key of 200,000 parts', toml: `${'a.'.repeat(200_000)}b = 1` },
  { name: 'a table of 200,000 parts', toml: `[${'a.'.repeat(200_000)}b]` },
  { name: 'a name of 1,000,000 letters', toml: `${'x'.repeat(1_000_000)} = 1` },
  { name: 'a value of 1,000,000 letters', toml: `shell.mode = "${'x'.repeat(1_000_000)}"` },
  { name: 'lists 990 deep', toml: `shell.mode = ${'['.repeat(990)}${']'.repeat(990)}` },
  { name: 'lists 400,000 deep', toml: `shell.mode = ${'['.repeat(400_000)}${']'.repeat(400_000)}` },
  { name: 'one string that never ends', toml: `a = "${'x'.repeat(1_000_000)}` },
]

it.each(refused)('$name is refused in a few lines', async ({ toml }) => {
  const place = makePlace()
  place.write(place.projectFile, toml)
  const error = await place.load().catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(VitrineError)
  expect((error as VitrineError).message.length).toBeLessThan(1000)
})

it('60,000 unreadable paths are refused by their key', async () => {
  const place = makePlace()
  const paths = Array.from({ length: 60_000 }, (_, index) => `/hostile/${index}`)
  place.write(place.projectFile, `[shell]\nunreadable = ${JSON.stringify(paths)}\n`)
  const refusal = { code: 'CONFIG_INVALID', key: 'shell.unreadable', file: place.projectFile }
  await expect(place.load()).rejects.toMatchObject({ code: 'CONFIG_INVALID', refusal })
})

it('15,000 rules that allow are each ignored, with their lines', async () => {
  const place = makePlace()
  const rule = (index: number) => `[[policy.rule]]\nprefix = ["c${index}"]\nverdict = "allow"\n`
  place.write(place.projectFile, Array.from({ length: 15_000 }, (_, index) => rule(index)).join(''))
  const { config, ignored } = await place.load()
  expect(config.policy.rule).toEqual([])
  expect(ignored).toHaveLength(15_000)
  expect(ignored.at(-1)).toMatchObject({ line: 3 * 14_999 + 1 })
})
