import { expect, it } from 'vitest'
import { openAudited } from '../audit/place.ts'
import { openTestShell } from '../helpers/place.ts'

it('a request that is changed after the call runs, and is logged, as it was', async () => {
  const { shell, lines } = await openAudited()
  const request = { command: 'echo first', env: { WORD: 'first' } }
  const call = shell.execute(request)
  Object.assign(request, { command: 'echo second' })
  expect((await call).stdout).toBe('first\n')
  expect(lines()).toMatchObject([{ command: 'echo first' }])
})

it('a list runs in the mode of its call', async () => {
  const shell = await openTestShell({ mode: 'read' })
  const call = shell.executeAll(['true', 'true'])
  shell.mode = 'write'
  expect((await call).map(({ mode }) => mode)).toEqual(['read', 'read'])
})

it('bytes for standard input are those of the call', async () => {
  const shell = await openTestShell({ mode: 'read' })
  const stdin = Buffer.from('first')
  const call = shell.execute({ command: 'cat', stdin })
  stdin.fill('x')
  expect((await call).stdout).toBe('first')
})
