import { expect, it } from 'vitest'
import { openTestShell } from '../helpers/place.ts'

it.each(['read', 'write'] as const)(
  '%s mode: what a closed shell had not started yet never runs',
  async (mode) => {
    const shell = await openTestShell({ mode })
    const running = shell.execute({ command: 'sleep 20' })
    const closed = shell.close()
    await expect(running).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    await closed
  },
)
