import { expect, it } from 'vitest'
import { openTestShell } from '../helpers/place.ts'
import { addonless } from '../sandbox/hosts.ts'

const keys = ['memory_bytes', 'cpu_seconds', 'processes', 'open_files']

it.for(keys)('without the addon %s is refused, not ignored', async (key) => {
  const opening = openTestShell({ mode: 'write', host: addonless(), toml: `[limits]\n${key} = 64\n` })
  await expect(opening).rejects.toMatchObject({
    code: 'SANDBOX_UNAVAILABLE',
    message: expect.stringMatching(
      /\[limits\].*need the native addon on Linux.*Nothing ran.*To run without: set/,
    ),
  })
})

it('without the addon, and without limits, write mode runs', async () => {
  const shell = await openTestShell({ mode: 'write', host: addonless() })
  expect((await shell.execute({ command: 'echo there' })).stdout).toBe('there\n')
})
