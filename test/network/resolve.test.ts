import { expect, it } from 'vitest'
import { systemResolver } from '../../src/network/addresses.ts'
import { waitFor } from '../helpers/processes.ts'
import { basic, exchange, openProxy } from './surroundings.ts'

it('a lookup that waits for its turn goes with its command', async () => {
  let wanted: AbortSignal | undefined
  const resolver = (_name: string, signal: AbortSignal) => {
    wanted = signal
    return new Promise<never>(() => {})
  }
  const { proxy, gate } = await openProxy({ allow: ['good.example'] }, { resolver })
  const answer = exchange(proxy.port, `CONNECT good.example:443 HTTP/1.1\r\n${basic(gate.secret)}\r\n`)
  expect(await waitFor(() => wanted?.aborted === false)).toBe(true)
  proxy.shut(gate)
  expect(wanted?.aborted).toBe(true)
  expect((await answer).toString()).toContain(' 502 ')
  expect(gate.connections()).toMatchObject([{ reason: 'unreachable' }])
  await expect(systemResolver('localhost', AbortSignal.abort(), gate)).rejects.toMatchObject({
    name: 'AbortError',
  })
})
