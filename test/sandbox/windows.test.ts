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
const options = {
  network: 'none' as const,
  reads: readEverything,
  privateTmp: false,
  changes: null,
}
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

  it('is refused where something is to be kept from reading: Low integrity does not stop that', () => {
    const reads = { ...readEverything, unreadable: ['C:\\secret'] }
    expect(() => windowsSandbox(low).confine({ ...options, reads })).toThrow(unavailable('Windows'))
  })

  it('refuses workspace mode: Low integrity cannot open one directory', () => {
    const changes = { roots: ['C:\\work'], protected: [], closed: [] } as const
    expect(() => windowsSandbox(low).confine({ ...options, privateTmp: true, changes })).toThrow(
      unavailable('Windows'),
    )
  })

  it('says where the job could have no limits on the user interface', () => {
    const enforced = (uiLimits: boolean) =>
      windowsSandbox({ ...low, uiLimits }).enforcement(options)['desktop']?.enforced
    expect([enforced(true), enforced(false)]).toEqual([true, false])
  })

  it('says of no shell what another one adds, such as its limits', () => {
    const sandbox = windowsSandbox(low)
    Object.assign(sandbox.enforcement(options), { limits: { enforced: true, by: 'job' } })
    expect(sandbox.enforcement(options)).not.toHaveProperty('limits')
  })

  it('says what Low integrity does not stop', () => {
    const { network, 'file contents': files } = windowsSandbox(low).enforcement(options)
    expect(network).toMatchObject({ enforced: false })
    expect(files).toMatchObject({ enforced: true, note: expect.stringContaining('LocalLow') })
  })
})
