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
