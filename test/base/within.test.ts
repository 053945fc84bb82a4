import { once } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { abortAfter } from '../../src/base/clock.ts'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

it('a wait ends at its time limit though memory was collected', async () => {
  const { signal } = abortAfter(100, undefined)
  const aborted = once(signal, 'abort')
  collect()
  await aborted
  expect(signal.aborted).toBe(true)
})

it("a wait ends with the caller's signal, also with one that was aborted before", async () => {
  const caller = new AbortController()
  const { signal, end } = abortAfter(600_000, caller.signal)
  const aborted = once(signal, 'abort')
  caller.abort()
  await aborted
  end()
  const late = abortAfter(600_000, caller.signal)
  late.end()
  expect(late.signal.aborted).toBe(true)
})
