import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { attempt, type Trial } from '../../src/doctor/attempt.ts'
import { findings } from '../../src/doctor/doctor.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'

async function resultOf(prepare: (directory: string) => Trial) {
  const directory = makeDirectory()
  const [read, write] = [await openTestShell({ mode: 'read' }), await openTestShell({ mode: 'write' })]
  const context = { program: ['false'] as const, directory, env: {}, read, write }
  return attempt('x', prepare).run(context)
}

describe('an attempt of doctor', () => {
  it('that fails without the sandbox, too, proves nothing', async () => {
    const nothing = { request: { command: 'echo nothing of it >&2' }, touched: () => false }
    expect(await resultOf(() => nothing)).toEqual({ state: 'untried', said: 'nothing of it\n' })
  })

  it('that works without the sandbox, and not in it, is held', async () => {
    const prepare = (directory: string) => ({
      request: { command: 'touch made' },
      touched: () => existsSync(join(directory, 'made')),
    })
    expect(await resultOf(prepare)).toMatchObject({ state: 'enforced' })
  })

  it('that works in the sandbox, too, is open', async () => {
    const prepare = (directory: string) => {
      writeFileSync(join(directory, 'file'), 'x')
      return {
        request: { command: 'cat file' },
        touched: ({ stdout }: { readonly stdout: string }) => stdout === 'x',
      }
    }
    expect(await resultOf(prepare)).toMatchObject({ state: 'open' })
  })

  it('whose allowed part does not work either is lacking', async () => {
    const prepare = (directory: string) => ({
      request: { command: 'touch made' },
      touched: () => existsSync(join(directory, 'made')),
      worked: ({ exitCode }: { readonly exitCode: number | null }) => exitCode === 0,
    })
    expect(await resultOf(prepare)).toMatchObject({ state: 'lacking' })
  })
})

it('a right that is claimed and open is called open, not lacking', async () => {
  const directory = makeDirectory()
  const env = { ...process.env, XDG_CONFIG_HOME: directory, XDG_STATE_HOME: directory }
  // In place of vitrine a shell that holds nothing: it runs the last word of `run ... -- LINE`.
  const program = ['sh', '-c', 'for line; do :; done; exec sh -c "$line"', 'sh'] as const
  const found = await findings('read', { program, directory, env })
  const outside = found.filter(({ right }) => right === 'descriptors' || right === 'death of the host')
  expect(outside.map(({ right, state }) => [right, state])).toEqual([
    ['descriptors', 'open'],
    ['death of the host', 'open'],
  ])
})
