import { expect, it } from 'vitest'
import { openTestShell } from '../helpers/place.ts'

it('a signal that is aborted already makes every call throw its reason, and nothing runs', async () => {
  const shell = await openTestShell({ mode: 'write' })
  const reason = new Error('changed my mind')
  const command = 'touch made'
  for (const signal of [AbortSignal.abort(reason), AbortSignal.abort()]) {
    const options = { signal }
    await expect(shell.execute({ command }, options)).rejects.toBe(signal.reason)
    await expect(shell.executeAll([command], options)).rejects.toBe(signal.reason)
    await expect(shell.execute({ command }, options)).rejects.toMatchObject({
      name: signal.reason === reason ? 'Error' : 'AbortError',
    })
  }
  expect((await shell.execute({ command: 'ls made' })).exitCode).not.toBe(0)
})
