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
const layers = [
  { source: 'default', value: 200 },
  { source: 'user', value: 190 },
  { source: 'project', value: 180 },
  { source: 'variable', value: 170 },
  { source: 'flag', value: 50 },
] as const

it.each(layers.map((layer, index) => ({ ...layer, index })))(
  'the $source value wins over everything below it, and is named as the source',
  async ({ source, value, index }) => {
    const place = makePlace()
    const env = index >= 3 ? { VITRINE_SHELL_KILL_GRACE_MS: '170' } : {}
    if (index >= 1) place.write(place.userFile, '[shell]\nkill_grace_ms = 190\n')
    if (index >= 2) place.write(place.projectFile, '[shell]\nkill_grace_ms = 180\n')
    const { config, sources } = await place.load({ env, ...(index >= 4 ? { flags } : {}) })
    const where = ['', place.userFile, place.projectFile, 'VITRINE_SHELL_KILL_GRACE_MS', '--kill-grace'][
      index
    ]
    expect(config.shell.kill_grace_ms).toBe(value)
    expect(sources['shell.kill_grace_ms']).toEqual({ value, source, where })
  },
)

it('XDG_CONFIG_HOME names the directory of the user file, and is ignored when not absolute', async () => {
  const place = makePlace()
  place.write(place.userFile, '[shell]\ntimeout_ms = 1\n')
  place.write(join(place.home, 'xdg', 'vitrine', 'config.toml'), '[shell]\ntimeout_ms = 2\n')
  const absolute = await place.load({ env: { XDG_CONFIG_HOME: join(place.home, 'xdg') } })
  const relative = await place.load({ env: { XDG_CONFIG_HOME: 'xdg' } })
  expect([absolute.config.shell.timeout_ms, relative.config.shell.timeout_ms]).toEqual([2, 1])
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

it('--config /dev/null leaves the user file out', async () => {
  const place = makePlace()
  place.write(place.userFile, '[shell]\ntimeout_ms = 1\n')
  const { config } = await place.load({ configFile: '/dev/null' })
  expect(config.shell.timeout_ms).toBe(30_000)
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

it('a .git file, as in a worktree, marks a git root too', async () => {
  const place = makePlace()
  const worktree = join(place.project, 'worktree')
  place.write(join(worktree, '.git'), 'gitdir: elsewhere\n')
  place.write(place.projectFile, '[shell]\ntimeout_ms = 5\n')
  const { config } = await place.load({ cwd: worktree })
  expect(config.shell.timeout_ms).toBe(30_000)
})

it('without a git root only cwd is looked at', async () => {
  const place = makePlace()
  const plain = join(place.home, 'plain')
  place.write(join(plain, '.vitrine.toml'), '[shell]\ntimeout_ms = 5\n')
  mkdirSync(join(plain, 'sub'))
  const here = await place.load({ cwd: plain })
  const below = await place.load({ cwd: join(plain, 'sub') })
  expect([here.config.shell.timeout_ms, below.config.shell.timeout_ms]).toEqual([5, 30_000])
})

it('a cwd reached through a symlink finds the project that it really lies in', async () => {
  const place = makePlace()
  place.write(place.projectFile, '[shell]\ntimeout_ms = 5\n')
  mkdirSync(join(place.project, 'sub'))
  symlinkSync(join(place.project, 'sub'), join(place.home, 'link'))
  const { config } = await place.load({ cwd: join(place.home, 'link') })
  expect(config.shell.timeout_ms).toBe(5)
})

it('a cwd that does not exist is left for the request to refuse', async () => {
  const place = makePlace()
  const { config } = await place.load({ cwd: join(place.home, 'nowhere', 'at', 'all') })
  expect(config.shell.mode).toBe('read')
})

it('relative paths start at the directory of their file, or at cwd; ~ is the home directory', async () => {
  const place = makePlace()
  place.write(place.userFile, '[audit]\npath = "audit.jsonl"\n[shell]\nunreadable = ["~/notes", "secrets"]\n')
  place.write(place.projectFile, '[shell]\nunreadable = ["private"]\n')
  const env = { VITRINE_SHELL_UNIX_SOCKETS: 's.sock,~/t.sock' }
  const { config } = await place.load({ env, cwd: join(place.project, '.git') })
  expect(config.audit.path).toBe(join(place.home, '.config', 'vitrine', 'audit.jsonl'))
  expect(config.shell.unreadable).toEqual([
    join(place.home, 'notes'),
    'secrets',
    join(place.project, 'private'),
  ])
  expect(config.shell.unix_sockets).toEqual([
    join(place.project, '.git', 's.sock'),
    join(place.home, 't.sock'),
  ])
})

it('unreadable = "secrets" is the list with that one word', async () => {
  const place = makePlace()
  place.write(place.userFile, '[shell]\nunreadable = "secrets"\n')
  const { config } = await place.load()
  expect(config.shell.unreadable).toEqual(['secrets'])
})

it('a list of a higher layer of the user replaces the one below', async () => {
  const place = makePlace()
  place.write(place.userFile, '[policy]\ndeny = ["a", "b"]\n')
  const { config } = await place.load({ env: { VITRINE_POLICY_DENY: 'c' } })
  expect(config.policy.deny).toEqual(['c'])
})

it('flags are validated as everything else', async () => {
  const wrong: Flags = { 'shell.timeout_ms': { value: 0, from: '--timeout' } }
  expect(await makePlace().refusal({ flags: wrong })).toEqual({
    code: 'CONFIG_INVALID',
    file: '--timeout',
    key: 'shell.timeout_ms',
    problem: { kind: 'bad-value', wanted: 'an integer from 1 to 2147483647', got: 'the number 0' },
  })
})

it('a flag that was not given changes nothing', async () => {
  const { sources } = await makePlace().load({ flags: { 'shell.mode': undefined } })
  expect(sources['shell.mode'].source).toBe('default')
})
