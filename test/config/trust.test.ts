import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { trustStoreFile } from '../../src/config/files.ts'
import { trust } from '../../src/config/trust.ts'
import { makePlace, type Place, refusalOf } from './place.ts'

const loose = '[shell]\nnetwork = true\n'

it('trust makes a loosening value count', async () => {
  const place = withProjectFile()
  const before = await network(place)
  const trusted = trust(place.projectFile, {}, place.home)
  const during = await network(place)
  expect([before, during]).toEqual([false, true])
  expect(trusted).toBe(place.projectFile)
})

it('a changed content is not trusted any more, the old content is again', async () => {
  const place = withProjectFile()
  trust(place.projectFile, {}, place.home)
  place.write(place.projectFile, `${loose}# changed\n`)
  const changed = await network(place)
  place.write(place.projectFile, loose)
  expect([changed, await network(place)]).toEqual([false, true])
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
})

it('a store that others could write becomes private with the next trust', () => {
  const place = withProjectFile()
  trust(place.projectFile, {}, place.home)
  const store = trustStoreFile({}, place.home)
  chmodSync(store, 0o666)
  trust(place.projectFile, {}, place.home)
  expect(statSync(store).mode & 0o777).toBe(0o600)
})

it('a file that does not exist, or that is a directory, cannot be trusted', async () => {
  const place = makePlace()
  const missing = await refusalOf(Promise.resolve().then(() => trust(place.projectFile, {}, place.home)))
  const directory = await refusalOf(Promise.resolve().then(() => trust(place.project, {}, place.home)))
  expect(missing.problem).toEqual({ kind: 'unreadable', reason: 'it does not exist' })
  expect(directory.problem).toEqual({ kind: 'unreadable', reason: 'it is a directory' })
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
