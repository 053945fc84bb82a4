import { expect, it } from 'vitest'
import { type PendingQuestion, RunningCall } from '../../../src/mcp/approvals.ts'

const context = {} as Parameters<RunningCall<string>['continue']>[0]
const question = (name: string) => ({ name }) as unknown as PendingQuestion

it('a question that ended without an answer gives way to the next one, and then to the result', async () => {
  const steps: (() => void)[] = []
  const step = () => new Promise<void>((resolve) => steps.push(resolve))
  const call: RunningCall<string> = new RunningCall(
    async () => {
      await step()
      call.ask(question('first')).catch(() => {})
      await step() // the time limit of the first question
      const answer = await call.ask(question('second'))
      return `second: ${answer}`
    },
    () => {},
  )
  steps.shift()?.()
  expect(await call.end()).toMatchObject({
    kind: 'asks',
    question: { name: 'first' },
    running: { number: 1 },
  })
  steps.shift()?.()
  await expect.poll(async () => call.end()).toMatchObject({ question: { name: 'second' } })
  const late = await call.continue(context, 1, 'yes')
  expect(late).toMatchObject({ kind: 'asks', question: { name: 'second' }, running: { number: 2 } })
  const over = await call.continue(context, 2, 'yes')
  expect(over).toMatchObject({ kind: 'over', outcome: { status: 'fulfilled', value: 'second: yes' } })
  expect(await call.end()).toMatchObject({ kind: 'over' })
})

it('nothing follows a request that comes after the end: it only fetches the result', async () => {
  let followed = 0
  const call: RunningCall<string> = new RunningCall(
    async () => {
      await Promise.resolve()
      call.ask(question('first')).catch(() => {})
      return 'timed out'
    },
    () => followed++,
  )
  await expect.poll(() => call.continue(context, 1, 'yes')).toMatchObject({ kind: 'over' })
  const before = followed
  expect(await call.continue(context, 1, 'yes')).toMatchObject({ outcome: { value: 'timed out' } })
  expect(followed).toBe(before)
})
