import { spawn, spawnSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Denial, Result } from '../../src/result/result.ts'
import { type User, users } from '../attacks/table.ts'
import { makeDirectory } from '../helpers/place.ts'
import { builtLibrary, repository } from '../helpers/programs.ts'
import { type Client, clients } from './clients.ts'
import { type Servers, startServers } from './servers.ts'

let servers: Servers
let lookup: string
let library: string

beforeAll(async () => {
  const directory = makeDirectory()
  chmodSync(directory, 0o755)
  lookup = join(directory, 'lookup')
  spawnSync('cc', [
    '-Wall',
    '-Wextra',
    '-o',
    lookup,
    join(repository, 'test/fixtures/network/lookup.c'),
    '-lresolv',
  ])
  library = builtLibrary()
  servers = await startServers(directory)
})

afterAll(() => servers.close())

/** A host of that user's: runs what it reads, in read mode, and prints the results. */
const host = `
import { readFileSync } from 'node:fs'
const { library, network, commands } = JSON.parse(readFileSync(0, 'utf8'))
const { openShell } = await import(library)
const shell = await openShell({ mode: 'read', network, cwd: '/' })
const results = []
for (const argv of commands) results.push(await shell.execute({ argv, timeoutMs: 50000 }))
console.log(JSON.stringify(results))
await shell.close()`

/** Not here: this process answers for the servers, and must not wait. */
async function runAs({ uid, gid }: User, network: boolean, commands: readonly (readonly string[])[]) {
  const credentials = uid === process.getuid?.() ? {} : { uid, gid }
  const env = { PATH: process.env['PATH'], HOME: '/nonexistent', XDG_CONFIG_HOME: '/nonexistent' }
  const child = spawn(process.execPath, ['--input-type=module', '-e', host], {
    ...credentials,
    env,
    cwd: '/',
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(JSON.stringify({ library, network, commands }))
  let text = ''
  for await (const chunk of child.stdout) text += String(chunk)
  return JSON.parse(text) as Result[]
}

function fill(word: string): string {
  const offers: Readonly<Record<string, string>> = { ...servers.offers, lookup, node: process.execPath }
  return word.replace(/\{(\w+)\}/g, (whole, name: string) => offers[name] ?? whole)
}

const tried = clients.filter(({ missing }) => (missing?.() ?? null) === null)
const commands = () => tried.map(({ argv }) => argv.map(fill))
const saidBy = ({ stdout, stderr }: Result) => `${stdout}${stderr}`

for (const user of users)
  describe.runIf(process.platform === 'linux')(`as ${user.name}`, () => {
    let granted: readonly Result[]
    let refused: readonly Result[]

    beforeAll(async () => {
      granted = await runAs(user, true, commands())
      refused = await runAs(user, false, commands())
    }, 600_000)

    for (const client of clients) {
      it(`${client.name} works with the network, and not without`, (context) => {
        const reason = client.missing?.() ?? null
        if (reason) return context.skip(reason)
        return check(client, granted[tried.indexOf(client)], refused[tried.indexOf(client)])
      })
    }
  })

const isNetwork = ({ operation }: Denial) => ['socket', 'connect', 'listen'].includes(operation)

function check(client: Client, granted: Result | undefined, refused: Result | undefined): void {
  if (!granted || !refused) throw new Error('it was not tried')
  expect(saidBy(granted)).toMatch(client.says)
  expect(granted.exitCode).toBe(client.exitCode ?? 0)
  expect(granted.denials.filter(isNetwork)).toEqual([])
  expect(saidBy(refused)).not.toMatch(client.says)
  expect(refused.denials.map(({ operation }) => operation)).toContain('socket')
  if (refused.hint !== undefined || refused.denials.every(isNetwork))
    expect(refused.hint).toContain('network = true')
}
