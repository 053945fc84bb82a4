import { spawnSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Denial, Result } from '../../../src/base/types.ts'
import { remedies } from '../../../src/messages/hints.ts'
import type { User } from '../../attacks/table.ts'
import { makeDirectory } from '../../helpers/place.ts'
import { runAs } from '../../helpers/run-as.ts'
import { type Client, clients } from './clients.ts'
import { type Servers, startServers } from './servers.ts'

let servers: Servers

async function start(): Promise<() => void> {
  const directory = makeDirectory()
  chmodSync(directory, 0o755)
  servers = await startServers(directory)
  return () => servers.close()
}

function fill(word: string): string {
  const offers: Readonly<Record<string, string>> = { ...servers.offers, node: process.execPath }
  return word.replace(/\{(\w+)\}/g, (whole, name: string) => offers[name] ?? whole)
}

const tried = clients.filter(({ missing }) => (missing?.() ?? null) === null)
const commands = () => tried.map(({ argv }) => argv.map(fill))
const saidBy = ({ stdout, stderr }: Result) => `${stdout}${stderr}`

/** Every client works with the network, and is refused without, as that user. */
export function describeClients(user: User): void {
  describe.runIf(process.platform === 'linux')(`as ${user.name}`, () => {
    let granted: readonly Result[]
    let refused: readonly Result[]

    beforeAll(start)

    const runAll = (network: boolean) =>
      runAs(user, { options: { mode: 'read', network, cwd: '/' }, commands: commands() })

    beforeAll(async () => {
      granted = await runAll(true)
      refused = await runAll(false)
    }, 600_000)

    for (const client of clients) {
      it(`${client.name} works with the network, and not without`, (context) => {
        const account = client.needsAccount ? withoutAccount(user) : null
        const reason = client.missing?.() ?? account
        if (reason) return context.skip(reason)
        return check(client, granted[tried.indexOf(client)], refused[tried.indexOf(client)])
      })
    }
  })
}

function withoutAccount({ uid }: User): string | null {
  return spawnSync('id', ['-un', String(uid)]).status === 0 ? null : `the user ${uid} has no account`
}

const isNetwork = ({ operation }: Denial) => ['socket', 'connect', 'listen'].includes(operation)

function check(client: Client, granted: Result | undefined, refused: Result | undefined): void {
  if (!granted || !refused) throw new Error('it was not tried')
  expect(saidBy(granted)).toMatch(client.says)
  expect(granted.exitCode).toBe(client.exitCode ?? 0)
  expect(granted.denials.filter(isNetwork)).toEqual([])
  expect(saidBy(refused)).not.toMatch(client.says)
  expect(refused.denials.map(({ operation }) => operation)).toContain('socket')
  if (refused.hint !== undefined || refused.denials.every(isNetwork))
    expect(refused.hint).toContain(remedies.user.network)
}
