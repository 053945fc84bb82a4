import { describe, expect, it } from 'vitest'
import { makeDirectory, openTestShell } from '../../../helpers/place.ts'
import { fixture, noPython3 } from './world.ts'

const tries = 200

describe.skipIf(noPython3)(
  'a connect(2) that signals interrupt never succeeds for nothing (needs python3)',
  () => {
    it.each([
      ['workspace', 'the proxy and servers of the command', ['own'], ['proxy', 'tcp', 'unix']],
      ['read', 'the proxy', [], ['proxy']],
    ] as const)('in %s mode: to %s', async (mode, _where, words, ways) => {
      const shell = await openTestShell({ mode, cwd: makeDirectory(), network: ['registry.example'] })
      const argv = ['python3', fixture('interrupted.py'), String(tries), ...words]
      const { stdout, stderr } = await shell.execute({ argv, timeoutMs: 100_000 })
      const told = stdout
        .trim()
        .split('\n')
        .map((line) => line.split(' '))
      expect(told.map(([way]) => way)).toEqual(ways.flatMap((way) => Array(4).fill(way)))
      for (const [way, handler, connected, falsely, failed] of told) {
        expect({ way, handler, falsely, stderr }).toEqual({ way, handler, falsely: '0', stderr: '' })
        // The kernel makes the call again: no failure is left.
        if (handler === 'restarts')
          expect({ way, connected, failed }).toEqual({ way, connected: String(tries), failed: '0' })
        expect(Number(connected)).toBeGreaterThan(0)
      }
    })
  },
)
