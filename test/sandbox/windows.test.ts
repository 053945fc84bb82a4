import { describe, expect, it } from 'vitest'
import { readEverything, type WindowsProbe } from '../../src/sandbox/sandbox.ts'
import { windowsSandbox } from '../../src/sandbox/windows.ts'
import { unavailable } from './hosts.ts'

const low: WindowsProbe = {
  systemDirectory: 'C:\\windows\\system32',
  integrity: 0x2000,
  error: 0,
  lowered: 0x1000,
  noWriteUp: true,
  uiLimits: true,
  held: true,
}
/** Of read mode without extras. */
const options = { network: 'none', reads: readEverything, privateTmp: false, changes: null } as const
const confine = (probe: Partial<WindowsProbe>) => () => windowsSandbox({ ...low, ...probe }).confine(options)

describe('read mode on Windows', () => {
  it('is held by Low integrity', () => {
    expect(confine({})()).toEqual({ kind: 'low-integrity' })
  })

  it('is refused with what was found', () => {
    expect(confine({ held: false, lowered: 0x3000 })).toThrow(unavailable('0x3000'))
    expect(confine({ held: false, noWriteUp: false })).toThrow(unavailable('token'))
    expect(confine({ held: false, error: 1314 })).toThrow('SeIncreaseQuotaPrivilege')
    expect(confine({ held: false, error: 5 })).toThrow(unavailable('error 5'))
  })

  it('is refused with paths to keep, and so is workspace mode: Low integrity does neither', () => {
    const reads = { ...readEverything, unreadable: ['C:\\secret'] }
    const changes = { roots: ['C:\\work'], protected: [], closed: [], unmade: [] } as const
    for (const more of [{ reads }, { privateTmp: true, changes }])
      expect(() => windowsSandbox(low).confine({ ...options, ...more })).toThrow(unavailable('Windows'))
  })

  it('says where the job could have no limits on the user interface', () => {
    const enforced = (uiLimits: boolean) =>
      windowsSandbox({ ...low, uiLimits }).enforcement(options)['desktop']?.enforced
    expect([enforced(true), enforced(false)]).toEqual([true, false])
  })

  it('says what Low integrity does not stop', () => {
    const { network, 'file contents': files } = windowsSandbox(low).enforcement(options)
    expect(network).toMatchObject({ enforced: false })
    expect(files).toMatchObject({ enforced: true, note: expect.stringContaining('LocalLow') })
  })
})
