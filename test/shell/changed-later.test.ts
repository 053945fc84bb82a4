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

it('what runs is what is logged, also where a field is another one each time it is read', async () => {
  const { shell, lines } = await openAudited()
  let read = 0
  const { stdout } = await shell.execute({
    get command() {
      return `echo ${++read}`
    },
  })
  expect(lines()).toMatchObject([{ command: `echo ${stdout.trim()}` }])
})

it('argv, variables and options are taken at the call, also those of a list', async () => {
  const shell = await openTestShell({ mode: 'read' })
  const told: string[] = []
  const options = { onOutput: () => void told.push('first') }
  const requests = ['a', 'b'].map((word) => ({ argv: ['printenv', 'WORD'], env: { WORD: word } }))
  const calls = [shell.executeAll(requests, options), shell.execute({ command: 'true' }, options)]
  for (const request of requests) {
    request.argv[1] = 'PATH'
    request.env.WORD = 'c'
  }
  options.onOutput = () => void told.push('second')
  const [listed] = await Promise.all(calls)
  expect(listed).toMatchObject([{ stdout: 'a\n' }, { stdout: 'b\n' }])
  expect(told).toEqual(['first', 'first'])
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
