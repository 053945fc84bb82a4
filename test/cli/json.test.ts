import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repository } from '../helpers/programs.ts'
import { Home, type Ran } from './vitrine.ts'

const home = new Home()
const run = (...args: string[]) => home.run(['run', '--json', ...args])

function objectOf({ stdout, stderr }: Ran) {
  expect(stderr).toBe('')
  expect(stdout).toMatch(/^\{.*\}\n$/)
  return JSON.parse(stdout)
}

describe('a result', () => {
  it('is one object with the fields of the library', async () => {
    const ran = await run('--', 'echo out; echo err >&2; exit 3')
    expect(ran.code).toBe(3)
    const result = objectOf(ran)
    expect(result).toMatchObject({
      ...{ stdout: 'out\n', stderr: 'err\n', exitCode: 3, signal: null, bytes: 8, binary: false },
      ...{ timedOut: false, cancelled: false, outputLimited: false, timeoutMs: 30_000 },
      ...{ survivorsKilled: 0, denials: [], listening: [], mode: 'read', backend: 'local' },
      failure: { kind: 'non-zero', retryable: false },
      decision: { verdict: 'allow', matches: [] },
      outcome: { kind: 'exited', code: 3 },
    })
    expect(result.version).toBe(1)
    expect(result.durationMs).toBeGreaterThan(0)
    expect(result.durationMs % 1).toBe(0)
  })

  it('has the documented fields, and nothing twice; --json=full has the rest', async () => {
    const text = readFileSync(join(repository, 'docs/run-json.md'), 'utf8')
    const rows = [...text.matchAll(/^- (`.*?): (.*)$/gm)].map(([, names = '', what = '']) => ({
      names: [...names.matchAll(/`(\w+)\??`/g)].map(([, name = '']) => name),
      optional: names.includes('?`'),
      full: what.includes('--json=full'),
    }))
    const named = (wanted: (row: (typeof rows)[number]) => boolean) =>
      rows.filter(wanted).flatMap(({ names }) => names)
    const short = Object.keys(objectOf(await run('--', 'true')))
    expect(short.sort()).toEqual(named(({ optional, full }) => !optional && !full).sort())
    const full = objectOf(await home.run(['run', '--json=full', '--', 'echo x; echo y >&2']))
    expect(Object.keys(full).sort()).toEqual(named(({ optional }) => !optional).sort())
    expect(full.enforcement['file contents']).toMatchObject({ enforced: true })
    expect([...full.output].sort()).toEqual([...'x\ny\n'].sort())
  })

  it('shows a refusal as a hint, not as a line of its own', async () => {
    const result = objectOf(await run('--', `: > ${join(home.directory, 'new')}`))
    expect(result).toMatchObject({ failure: { kind: 'permission-denied' }, hint: expect.any(String) })
    expect(existsSync(join(home.directory, 'new'))).toBe(false)
  })

  it('carries the path of output that is not UTF-8, byte for byte', async () => {
    const { scratchpad, stdout } = objectOf(await run('--', `printf 'a\\377\\000b'`))
    expect(readFileSync(scratchpad.path)).toEqual(Buffer.from([0x61, 0xff, 0, 0x62]))
    expect(scratchpad.bytes).toBe(4)
    expect(stdout).toContain('a\ufffd')
  })
})

describe('an error', () => {
  it.each([
    ['--wirte -- ls', 'INVALID_REQUEST', 125],
    ['--config /nowhere.toml -- ls', 'CONFIG_INVALID', 125],
    ['-- no-such-program x', 'SPAWN_FAILED', 127],
    ['-- /etc/passwd x', 'SPAWN_FAILED', 126],
  ])('of %s is one object with its code and message', async (args, code, exit) => {
    const ran = await home.run(['run', '--json', ...args.split(' ')], { env: { PATH: '/usr/bin:/bin' } })
    expect(ran.code).toBe(exit)
    expect(objectOf(ran).error).toMatchObject({ code, message: expect.stringMatching(/./) })
  })
})
