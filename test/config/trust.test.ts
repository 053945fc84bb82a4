import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { trustStoreFile } from '../../src/config/files.ts'
import { trust } from '../../src/config/trust.ts'
import { makePlace, type Place, refusalOf } from './place.ts'

const loose = '[shell]\nnetwork = true\n'

it('trust makes a loosening value count, until the content is another', async () => {
  const place = withProjectFile()
  const before = await network(place)
  expect(trust(place.projectFile, {}, place.home)).toBe(place.projectFile)
  const trusted = await network(place)
  place.write(place.projectFile, `${loose}# changed\n`)
  const changed = await network(place)
  place.write(place.projectFile, loose)
  expect([before, trusted, changed, await network(place)]).toEqual([false, true, false, true])
})

it('trust is bound to the real path: given through a symlink, it holds for the file behind it', async () => {
  const place = withProjectFile()
  symlinkSync(place.project, join(place.home, 'link'))
  expect(trust(join(place.home, 'link', '.vitrine.toml'), {}, place.home)).toBe(place.projectFile)
  expect(await network(place)).toBe(true)
  expect((await place.load({ cwd: join(place.home, 'link') })).config.shell.network).toBe(true)
})

it('a project file that becomes a symlink to another file with the same content is not trusted', async () => {
  const place = withProjectFile()
  trust(place.projectFile, {}, place.home)
  renameSync(place.projectFile, join(place.project, 'moved.toml'))
  symlinkSync(join(place.project, 'moved.toml'), place.projectFile)
  expect(await network(place)).toBe(false)
})

it('a symlink of another project to a trusted file is not trusted', async () => {
  const place = withProjectFile()
  trust(place.projectFile, {}, place.home)
  const hostile = join(place.home, 'hostile')
  mkdirSync(join(hostile, '.git'), { recursive: true })
  symlinkSync(place.projectFile, join(hostile, '.vitrine.toml'))
  expect((await place.load({ cwd: hostile })).config.shell.network).toBe(false)
  trust(join(hostile, '.vitrine.toml'), {}, place.home)
  expect((await place.load({ cwd: hostile })).config.shell.network).toBe(true)
  expect(await network(place)).toBe(true)
})

it('the store is for the user alone, whole, and leaves no temporary file', () => {
  const place = withProjectFile()
  trust(place.projectFile, {}, place.home)
  const other = place.write(join(place.home, 'other', '.vitrine.toml'), '')
  trust(other, {}, place.home)
  const store = trustStoreFile({}, place.home)
  expect(statSync(store).mode & 0o777).toBe(0o600)
  expect(statSync(dirname(store)).mode & 0o777).toBe(0o700)
  expect(readdirSync(dirname(store))).toEqual(['trust.json'])
  const hash = expect.stringMatching(/^[0-9a-f]{64}$/)
  expect(JSON.parse(readFileSync(store, 'utf8'))).toEqual({
    version: 1,
    files: { [place.projectFile]: hash, [other]: hash },
  })
  // One that others could write becomes private with the next trust.
  chmodSync(store, 0o666)
  trust(other, {}, place.home)
  expect(statSync(store).mode & 0o777).toBe(0o600)
})

it.each([
  ['projectFile', 'it does not exist'],
  ['project', 'it is a directory'],
] as const)('%s cannot be trusted: %s', async (which, reason) => {
  const place = makePlace()
  const { problem } = await refusalOf((async () => trust(place[which], {}, place.home))())
  expect(problem).toEqual({ kind: 'unreadable', reason })
})

it.each(['', 'null', '{', '{"version":2,"files":{}}', '{"version":1,"files":{"a":1}}'])(
  'a damaged store (%j) trusts nothing and stops with its path',
  async (content) => {
    const place = withProjectFile()
    const store = place.write(trustStoreFile({}, place.home), content)
    expect(await place.refusal()).toMatchObject({ file: store, problem: { kind: 'unreadable' } })
  },
)

function withProjectFile(): Place {
  const place = makePlace()
  place.write(place.projectFile, loose)
  return place
}

async function network(place: Place): Promise<unknown> {
  return (await place.load()).config.shell.network
}
