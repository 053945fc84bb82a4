import { expect, it } from 'vitest'
import { openTestShell } from '../helpers/place.ts'

it.for([
  ['a wrong request', [{ command: 'true', timeoutMs: -1 }], 'INVALID_REQUEST'],
  ['no list', 'true', 'INVALID_REQUEST'],
  ['a denied line after another', ['echo x', 'rm -rf /'], 'DENIED'],
  ['a program that is not there', [{ argv: ['/not/there'] }, 'echo x'], 'SPAWN_FAILED'],
] as const)('executeAll says with empty results that nothing ran: %s', async ([, requests, code]) => {
  const shell = await openTestShell({ mode: 'write' })
  await expect(shell.executeAll(requests as never)).rejects.toMatchObject({ code, results: [] })
})

it('and of a closed shell', async () => {
  const shell = await openTestShell()
  await shell.close()
  await expect(shell.executeAll(['true'])).rejects.toMatchObject({ code: 'INVALID_REQUEST', results: [] })
})

it('what ran before is in it', async () => {
  const shell = await openTestShell({ mode: 'write' })
  const running = shell.executeAll(['echo x', { argv: ['/not/there'] }])
  await expect(running).rejects.toMatchObject({ code: 'SPAWN_FAILED', results: [{ stdout: 'x\n' }] })
})
