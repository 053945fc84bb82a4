import { describe, expect, it } from 'vitest'
import type { Mode } from '../../src/base/types.ts'
import { commandEnvironment, type HostPlace } from '../../src/request/environment.ts'

const profile = String.raw`C:\Users\a`
const low = String.raw`C:\Users\a\AppData\LocalLow\Temp`
const usual = String.raw`C:\Users\a\AppData\Local\Temp`

function temporaryOf(mode: Mode, place: HostPlace, set: Readonly<Record<string, string>> = {}) {
  const caller = { UserProfile: profile, Temp: usual, TMP: usual, USERPROFILE: profile, TEMP: usual }
  const settings = { inherit: 'auto', pass: ['TEMP', 'TMP'], set } as const
  const { TEMP, TMP } = commandEnvironment(caller, settings, {
    mode,
    place,
    terminal: false,
  })
  return [TEMP, TMP]
}

describe('temporary files on Windows', () => {
  it('of read mode are where a process of Low integrity can write', () => {
    expect(temporaryOf('read', 'windows')).toEqual([low, low])
  })

  it('of write mode are where the user has them', () => {
    expect(temporaryOf('write', 'windows')).toEqual([usual, usual])
  })

  it('are where the configuration says, in both', () => {
    const set = { temp: 'D:\\t' }
    expect(temporaryOf('read', 'windows', set)).toEqual(['D:\\t', low])
    expect(temporaryOf('write', 'windows', set)).toEqual(['D:\\t', usual])
  })

  it('of read mode without a profile are where the user has them', () => {
    const purpose = { mode: 'read', place: 'windows', terminal: false } as const
    const { TEMP } = commandEnvironment({ TEMP: usual }, { inherit: 'auto', pass: [], set: {} }, purpose)
    expect(TEMP).toBe(usual)
  })
})

it('other systems have no such directory', () => {
  expect(temporaryOf('read', 'linux')).toEqual([usual, usual])
  expect(temporaryOf('read', 'macos')).toEqual([usual, usual])
})
