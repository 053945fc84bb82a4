import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { remedies } from '../../src/messages/hints.ts'
import { environmentOf } from '../helpers/environment.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'
import { isInstalled } from '../helpers/programs.ts'

const quiet = {
  npm_config_logs_max: '0',
  npm_config_logs_dir: '/dev/null',
  npm_config_update_notifier: 'false',
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
  LESSHISTFILE: '-',
  NODE_DISABLE_COMPILE_CACHE: '1',
  PYTEST_ADDOPTS: '-W ignore::pytest.PytestCacheWarning',
  GODEBUG: 'goindex=0',
}

const onlyOnce = { npm_config_fetch_retries: '0', PIP_RETRIES: '0', CARGO_NET_RETRY: '0' }

describe('read mode tells tools', () => {
  it('not to write down what they did, and not to look for a newer version', async () => {
    expect(await environmentOf({ mode: 'read' })).toMatchObject(quiet)
    const write = await environmentOf({ mode: 'write', toml: '[env]\ninherit = "listed"\n' })
    for (const name of Object.keys(quiet)) expect(write).not.toHaveProperty([name])
  })

  it('not to try again where the network is shut', async () => {
    expect(await environmentOf({ mode: 'read' })).toMatchObject(onlyOnce)
    const open = await environmentOf({ mode: 'read', network: true })
    for (const name of Object.keys(onlyOnce)) expect(open).not.toHaveProperty([name])
  })

  it('nothing that is set already, in whatever case npm reads it', async () => {
    const toml = '[env]\npass = ["PIP_RETRIES"]\nset = { GODEBUG = "x=1", NPM_CONFIG_FETCH_RETRIES = "7" }\n'
    const environment = await environmentOf({ mode: 'read', toml, env: { PIP_RETRIES: '3' } })
    expect(environment).toMatchObject({ PIP_RETRIES: '3', GODEBUG: 'x=1', NPM_CONFIG_FETCH_RETRIES: '7' })
    expect(environment).not.toHaveProperty('npm_config_fetch_retries')
  })
})

const caches = ['CARGO_TARGET_DIR', 'GOCACHE', 'npm_config_cache']

describe('a private TMPDIR takes up', () => {
  it('builds of cargo, the cache of npm with the network open, and that of go without', async () => {
    const HOME = makeDirectory()
    const environment = await environmentOf({
      mode: 'read',
      privateTmp: true,
      network: true,
      env: { HOME, GOCACHE: undefined, XDG_CACHE_HOME: undefined, CARGO_TARGET_DIR: undefined },
    })
    for (const name of caches) expect(environment[name]).toMatch(`${environment['TMPDIR']}/`)
  })

  it('neither what is there and full, nor what could not be fetched anew', async () => {
    const HOME = makeDirectory()
    mkdirSync(join(HOME, '.cache/go-build'), { recursive: true })
    const env = { HOME, GOCACHE: undefined, XDG_CACHE_HOME: undefined }
    const environment = await environmentOf({ mode: 'read', privateTmp: true, env })
    for (const name of ['GOCACHE', 'npm_config_cache']) expect(environment).not.toHaveProperty([name])
  })

  it('name a directory for the sockets of nx and tmux, unless it is named', async () => {
    const named = await environmentOf({ mode: 'read', privateTmp: true })
    expect(named['TMUX_TMPDIR']).toBe(named['TMPDIR'])
    expect(named['NX_SOCKET_DIR']).toBe(`${named['TMPDIR']}/nx`)
    const toml = '[env.set]\nNX_SOCKET_DIR = "/a"\n'
    expect(await environmentOf({ mode: 'read', privateTmp: true, toml })).toMatchObject({
      NX_SOCKET_DIR: '/a',
    })
    expect(await environmentOf({ mode: 'read' })).not.toHaveProperty('NX_SOCKET_DIR')
  })
})

it('npm without a network says so at once', { timeout: 20_000 }, async (context) => {
  if (!isInstalled('npm')) return context.skip('not installed: npm')
  const env = { HOME: makeDirectory() }
  const shell = await openTestShell({ mode: 'read', env })
  const line = 'npm view no-such-package --registry http://127.0.0.1:1/'
  const { exitCode, timedOut, hint } = await shell.execute({ command: line, timeoutMs: 15_000 })
  expect({ exitCode, timedOut }).toEqual({ exitCode: 1, timedOut: false })
  expect(hint).toContain(remedies.user.network)
})
