import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Home, program } from '../cli/vitrine.ts'
import { repository } from '../helpers/programs.ts'

const hello = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
}

/** Milliseconds from spawn to the answer to initialize. */
async function ready(home: Home): Promise<number> {
  const started = performance.now()
  const server = spawn(process.execPath, [program, 'mcp'], {
    env: home.env,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  server.stdin.write(`${JSON.stringify(hello)}\n`)
  await once(server.stdout, 'data')
  const took = performance.now() - started
  server.stdin.end()
  await once(server, 'exit')
  return took
}

function nothing(): number {
  const started = performance.now()
  spawnSync(process.execPath, ['-e', '0'])
  return performance.now() - started
}

describe('starting', () => {
  it('the server is ready within four starts of node -e 0', async () => {
    const home = new Home()
    // Interleaved, and the best of each: what else the machine does hits both alike, and not every time.
    const times = { server: Infinity, node: Infinity }
    for (let run = 0; run < 9; run++) {
      times.node = Math.min(times.node, nothing())
      times.server = Math.min(times.server, await ready(home))
    }
    expect(times.server / times.node).toBeLessThan(4)
  })

  it('no other command loads the SDK', async () => {
    const home = new Home()
    const traced = spawnSync(process.execPath, [program, 'run', '--', 'true'], {
      env: { ...home.env, NODE_DEBUG: 'module' },
      encoding: 'utf8',
      maxBuffer: 1 << 26,
    })
    expect(traced.status).toBe(0)
    expect(traced.stderr).toContain(join(repository, 'dist'))
    expect(traced.stderr).not.toContain('dist/sdk.cjs')
    const served = spawnSync(process.execPath, [program, 'mcp'], {
      env: { ...home.env, NODE_DEBUG: 'module' },
      input: '',
      encoding: 'utf8',
      maxBuffer: 1 << 26,
    })
    expect(served.stderr).toContain('dist/sdk.cjs')
  })
})
