import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { attempt, type Trial } from '../../src/doctor/attempt.ts'
import { findings } from '../../src/doctor/doctor.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'

async function resultOf(prepare: (directory: string) => Trial) {
  const directory = makeDirectory()
  const [read, write] = [await openTestShell({ mode: 'read' }), await openTestShell({ mode: 'write' })]
  const context = { program: ['false'] as const, directory, env: {}, read, write }
  return attempt('x', prepare).run(context)
}

const made = (directory: string) => ({
  request: { command: 'touch made' },
  touched: () => existsSync(join(directory, 'made')),
})

it.for<readonly [string, (directory: string) => Trial, object]>([
  [
    'that fails without the sandbox, too, proves nothing',
    () => ({ request: { command: 'echo nothing of it >&2' }, touched: () => false }),
    { state: 'untried', said: 'nothing of it\n' },
  ],
  ['that works without the sandbox, and not in it, is held', made, { state: 'enforced' }],
  [
    'that works in the sandbox, too, is open',
    () => ({ request: { command: 'echo x' }, touched: ({ stdout }) => stdout === 'x\n' }),
    { state: 'open' },
  ],
  [
    'whose allowed part does not work either is lacking',
    (directory) => ({ ...made(directory), worked: ({ exitCode }) => exitCode === 0 }),
    { state: 'lacking' },
  ],
])('an attempt of doctor %s', async ([, prepare, seen]) => {
  expect(await resultOf(prepare)).toMatchObject(seen)
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
