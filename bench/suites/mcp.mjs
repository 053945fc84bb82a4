// The MCP server: its start against a Node that does nothing, and the memory that it holds while idle.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { plain } from '../lib/commands.mjs'
import { ratioRows, valueRow } from '../lib/rows.mjs'
import { interleave } from '../lib/stats.mjs'

const suite = 'MCP server'
const root = new URL('../../', import.meta.url)
const { bin } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
const program = fileURLToPath(new URL(bin.vitrine, root))

/** V8 gives memory back in steps of some 8 s after the last work (its memory reducer). */
const idleMs = 30_000

/** @param {{ quick: boolean }} options */
export async function mcp({ quick }) {
  const samples = await interleave(
    {
      'node -e 0': () => plain(process.execPath, ['-e', '0']).then(() => {}),
      'ready: answer to initialize': async () => void (await ready()).kill(),
    },
    { rounds: quick ? 10 : 40, warmUp: 2, lead: 0 },
  )
  const idle = await Promise.all(Array.from({ length: quick ? 2 : 5 }, idleMb))
  return [
    ...ratioRows(suite, samples, { targets: { 'ready: answer to initialize': 2 } }),
    valueRow(suite, 'resident memory, idle after 20 commands', idle, 'MB', { most: 60 }),
  ]
}

/** A server that has answered `initialize`. */
async function ready() {
  const server = spawn(process.execPath, [program, 'mcp'], { stdio: ['pipe', 'pipe', 'ignore'] })
  const clientInfo = { name: 'bench', version: '1' }
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
  await answered(server, { id: 0, method: 'initialize', params })
  return server
}

/** @param {import('node:child_process').ChildProcess} server @param {object} request */
async function answered({ stdin, stdout }, request) {
  stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...request })}\n`)
  if (stdout) await once(stdout, 'data')
}

async function idleMb() {
  const server = await ready()
  server.stdin?.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
  for (let id = 1; id <= 20; id++) {
    const params = { name: 'execute_command', arguments: { command: 'ls' } }
    await answered(server, { id, method: 'tools/call', params })
  }
  await wait(idleMs)
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8')) ?? []
  server.kill()
  return Number(kilobytes) / 1024
}
