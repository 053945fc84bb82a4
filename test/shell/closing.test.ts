import { expect, it, vi } from 'vitest'
import { openAudited } from '../audit/place.ts'
import { openTestShell } from '../helpers/place.ts'
import { aliveWith, makeMarker } from '../helpers/processes.ts'

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

it('a closed shell has written the lines of what it ended, also of the rest of a list', async () => {
  const { shell, lines } = await openAudited()
  const marker = makeMarker()
  const command = `exec sleep ${marker}`
  const calls = [shell.execute({ command }), shell.executeAll([command, 'true'])]
  await vi.waitFor(() => expect(aliveWith(marker)).toHaveLength(2))
  await shell.close()
  expect(
    lines()
      .map(({ outcome }) => outcome)
      .sort(),
  ).toEqual(['cancelled', 'cancelled', 'not-started'])
  await Promise.all(calls)
})

it('closing a shell ends the question that its approver has not answered', async () => {
  let asked: AbortSignal | undefined
  const shell = await openTestShell({
    mode: 'write',
    toml: '[policy]\nask = ["true"]',
    approver: ({ signal }) => {
      asked = signal
      return new Promise(() => {})
    },
  })
  const call = shell.execute({ command: 'true' })
  call.catch(() => {})
  await vi.waitFor(() => expect(asked).toBeDefined())
  await shell.close()
  expect(asked?.aborted).toBe(true)
  await expect(call).rejects.toMatchObject({ code: 'NOT_APPROVED' })
})
