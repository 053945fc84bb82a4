import { expect, it } from 'vitest'
import { nearestKey } from '../../src/base/did-you-mean.ts'
import { keyEntries, sectionNames } from '../../src/config/schema.ts'

const candidates = [...sectionNames, ...keyEntries.keys()]

it.each([
  ['shell.timout_ms', 'shell.timeout_ms'],
  ['shell.timeoutMs', 'shell.timeout_ms'],
  ['shell.timeout-ms', 'shell.timeout_ms'],
  ['shell.TIMEOUT_MS', 'shell.timeout_ms'],
  ['shell.timeuot_ms', 'shell.timeout_ms'],
  ['shell.max_timeout', 'shell.max_timeout_ms'],
  ['shell.unix_socket', 'shell.unix_sockets'],
  ['limits.memory', 'docker.memory'],
  ['limits.proceses', 'limits.processes'],
  ['scratchpad.max_age_day', 'scratchpad.max_age_days'],
  ['audit.max_byte', 'audit.max_bytes'],
  ['unix_sockets', 'shell.unix_sockets'],
  ['polcy', 'policy'],
  ['output.max_bytse', 'output.max_bytes'],
])('%s was meant to be %s', (name, nearest) => {
  expect(nearestKey(name, candidates)).toBe(nearest)
})

it.each(['shell.kubernetes', 'x', 'shell.', '', 'shell.q', 'unrelated.thing'])(
  'nothing is near to %j',
  (name) => {
    expect(nearestKey(name, candidates)).toBeUndefined()
  },
)
