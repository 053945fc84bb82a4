import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Flags } from '../../src/config/load.ts'
import { keyEntries } from '../../src/config/schema.ts'
import { makePlace } from './place.ts'

it('without files and variables every key has its default', async () => {
  const { config, sources, ignored, files } = await makePlace().load()
  for (const { key, section, name, fallback } of keyEntries.values()) {
    expect(config[section]).toHaveProperty(name, fallback)
    expect(sources[key]).toEqual({ value: fallback, source: 'default', where: '' })
  }
  expect({ ignored, files }).toEqual({ ignored: [], files: [] })
})

const flags: Flags = { 'shell.kill_grace_ms': { value: 50, from: '--kill-grace' } }
it('each layer wins over everything below it, and is named as the source', async () => {
  const place = makePlace()
  const key = 'shell.kill_grace_ms'
  const user = place.write(place.userFile, '[shell]\nkill_grace_ms = 190\n')
  expect((await place.load()).sources[key]).toEqual({ value: 190, source: 'user', where: user })
  const where = place.write(place.projectFile, '[shell]\nkill_grace_ms = 180\n')
  expect((await place.load()).sources[key]).toMatchObject({ value: 180, source: 'project', where })
  const variable = 'VITRINE_SHELL_KILL_GRACE_MS'
  const env = { [variable]: '170' }
  const from = { source: 'variable', where: variable }
  expect((await place.load({ env })).sources[key]).toEqual({ value: 170, ...from })
  const { config, sources } = await place.load({ env, flags })
  expect(config.shell.kill_grace_ms).toBe(50)
  expect(sources[key]).toEqual({ value: 50, source: 'flag', where: '--kill-grace' })
})

it('--config takes the place of the user file and counts as it', async () => {
  const place = makePlace()
  place.write(place.userFile, '[shell]\ntimeout_ms = 1\nprivate_tmp = true\n')
  const configFile = place.write(join(place.home, 'other.toml'), '[shell]\nnetwork = true\n')
  const { config, sources, ignored, files } = await place.load({ configFile })
  expect(config.shell).toMatchObject({ network: true, timeout_ms: 30_000, private_tmp: false })
  expect(sources['shell.network']).toEqual({ value: true, source: 'user', where: configFile })
  expect(ignored).toEqual([])
  expect(files).toEqual([{ file: configFile, source: 'user', trusted: true }])
})

it('project files from the git root down to cwd all count, the nearer one later', async () => {
  const place = makePlace()
  const inner = join(place.project, 'a', 'b', '.vitrine.toml')
  place.write(place.projectFile, '[shell]\ntimeout_ms = 5\nkill_grace_ms = 7\n[policy]\ndeny = ["x"]\n')
  place.write(inner, '[shell]\ntimeout_ms = 9\nkill_grace_ms = 6\n[policy]\ndeny = ["y"]\n')
  const { config, files, ignored, sources } = await place.load({ cwd: join(place.project, 'a', 'b') })
  expect(config.shell).toMatchObject({ timeout_ms: 5, kill_grace_ms: 6 })
  expect(config.policy.deny).toEqual(['x', 'y'])
  expect(sources['policy.deny'].where).toBe(`${place.projectFile}, ${inner}`)
  expect(files.map(({ file }) => file)).toEqual([place.projectFile, inner])
  expect(ignored).toMatchObject([{ key: 'shell.timeout_ms', value: 9, file: inner, line: 2 }])
})

it('above the git root no project file is looked for', async () => {
  const place = makePlace()
  place.write(join(place.home, '.vitrine.toml'), '[shell]\ntimeout_ms = 5\n')
  const { config, files } = await place.load()
  expect({ timeout: config.shell.timeout_ms, files }).toEqual({ timeout: 30_000, files: [] })
})

it('a cwd reached through a symlink finds the project that it really lies in', async () => {
  const place = makePlace()
  place.write(place.projectFile, '[shell]\ntimeout_ms = 5\n')
  mkdirSync(join(place.project, 'sub'))
  symlinkSync(join(place.project, 'sub'), join(place.home, 'link'))
  const { config } = await place.load({ cwd: join(place.home, 'link') })
  expect(config.shell.timeout_ms).toBe(5)
})

it('relative paths start at the directory of their file, or at cwd; ~ is the home directory', async () => {
  const place = makePlace()
  place.write(place.userFile, '[audit]\npath = "audit.jsonl"\n[shell]\nunreadable = ["~/notes", "secrets"]\n')
  place.write(place.projectFile, '[shell]\nunreadable = ["private"]\n')
  const env = { VITRINE_WORKSPACE_WRITABLE: 's,~/t' }
  const { config } = await place.load({ env, cwd: join(place.project, '.git') })
  expect(config.audit.path).toBe(join(place.home, '.config', 'vitrine', 'audit.jsonl'))
  const unreadable = [join(place.home, 'notes'), 'secrets', join(place.project, 'private')]
  expect(config.shell.unreadable).toEqual(unreadable)
  expect(config.workspace.writable).toEqual([join(place.project, '.git', 's'), join(place.home, 't')])
})
