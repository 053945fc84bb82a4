import { describe, expect, it } from 'vitest'
import type { Mode } from '../../src/base/types.ts'
import {
  commandEnvironment,
  type EnvironmentSettings,
  type HostPlace,
} from '../../src/request/environment.ts'

const caller = {
  PATH: '/usr/bin',
  HOME: '/home/a',
  LANG: 'C',
  LC_ALL: 'C',
  TMPDIR: '/home/a/tmp',
  JAVA_HOME: '/opt/java',
  OWN: 'x',
  GITHUB_TOKEN: 'secret',
  'BASH_FUNC_ls%%': '() { rm -rf ~; }',
  'not a name': 'x',
  '1st': 'x',
  EMPTY: '',
}

/** The names of the caller's variables that a command gets. */
function inherited(mode: Mode, place: HostPlace, settings: Partial<EnvironmentSettings> = {}) {
  const all = { inherit: 'auto', pass: [], set: {}, ...settings } as const
  const given = commandEnvironment(caller, all, { mode, place, terminal: true })
  return Object.entries(caller)
    .filter(([name, value]) => given[name] === value)
    .map(([name]) => name)
}

describe('a command inherits', () => {
  it('in read mode what is listed', () => {
    const listed = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TMPDIR', 'JAVA_HOME']
    for (const mode of ['read', 'workspace'] as const) expect(inherited(mode, 'linux')).toEqual(listed)
    expect(inherited('write', 'linux', { inherit: 'listed' })).toEqual(listed)
  })

  it('in write mode everything but secrets, functions of bash, and what is no name', () => {
    const all = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TMPDIR', 'JAVA_HOME', 'OWN', 'EMPTY']
    expect(inherited('write', 'linux')).toEqual(all)
  })

  it.each(['read', 'workspace', 'write'] as const)(
    'in a container nothing that names files of this machine, in %s mode',
    (mode) => {
      for (const inherit of ['auto', 'listed', 'all'] as const)
        expect(inherited(mode, 'container', { inherit })).toEqual(['LANG', 'LC_ALL'])
    },
  )

  it('what the configuration passes, a secret as well', () => {
    expect(inherited('read', 'container', { pass: ['GITHUB_TOKEN', 'OWN'] })).toEqual([
      'LANG',
      'LC_ALL',
      'OWN',
      'GITHUB_TOKEN',
    ])
    expect(inherited('write', 'linux', { pass: ['GITHUB_TOKEN'] })).toContain('GITHUB_TOKEN')
  })
})
