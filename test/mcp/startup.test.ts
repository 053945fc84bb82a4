import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Home, program } from '../cli/vitrine.ts'
import { repository } from '../helpers/programs.ts'

describe('starting', () => {
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
