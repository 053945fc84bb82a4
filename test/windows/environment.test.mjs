import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { acceptAnyLevel, actor, makeDirectory, openTestShell } from './place.mjs'

acceptAnyLevel()

const { USERPROFILE: profile, TEMP: temporary } = process.env

async function variableOf(shell, name) {
  return (await shell.execute({ argv: [actor, 'variable', name] })).output
}

test('TEMP and TMP of read mode are a directory in LocalLow that exists, those of write mode stay', async () => {
  const low = join(profile, 'AppData', 'LocalLow', 'Temp')
  const read = await openTestShell({ mode: 'read' })
  const write = await openTestShell({ mode: 'write' })
  for (const name of ['TEMP', 'TMP']) assert.equal(await variableOf(read, name), low)
  assert.ok(existsSync(low))
  assert.equal(await variableOf(write, 'TEMP'), temporary)
})

test('TEMP that the configuration sets replaces the one in LocalLow', async () => {
  const toml = "[env]\nset = { TEMP = 'C:\\given' }"
  assert.equal(await variableOf(await openTestShell({ mode: 'read', toml }), 'TEMP'), 'C:\\given')
})

test('PSModulePath passes in both modes', async () => {
  for (const mode of ['read', 'write']) {
    const shell = await openTestShell({ mode, env: { PSModulePath: 'C:\\modules' } })
    assert.equal(await variableOf(shell, 'PSModulePath'), 'C:\\modules')
  }
})

test('a TEMP of read mode that cannot be made is a refusal with its reason', async () => {
  const home = makeDirectory()
  writeFileSync(join(home, 'AppData'), '')
  process.env.USERPROFILE = home
  try {
    const attempt = openTestShell({ mode: 'read' }).then((shell) => shell.execute({ argv: [actor, 'both'] }))
    await assert.rejects(attempt, { code: 'SANDBOX_UNAVAILABLE', message: /LocalLow.*cannot be created/s })
  } finally {
    process.env.USERPROFILE = profile
  }
})
