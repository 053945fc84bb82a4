import { expect, it } from 'vitest'
import { limitsEnforcement, limitsOf } from '../../../src/host/mode-setup.ts'
import { linuxLimits } from '../../../src/launch/native.ts'
import { privateTmpNote, withoutSessions } from '../../../src/messages/limits.ts'
import { openTestShell } from '../../helpers/place.ts'
import { addonless } from '../../sandbox/hosts.ts'

const keys = ['memory_bytes', 'cpu_seconds', 'processes', 'open_files']

it.for(keys)('without the addon %s is refused, not ignored', async (key) => {
  const opening = openTestShell({ mode: 'write', host: addonless(), toml: `[limits]\n${key} = 64\n` })
  await expect(opening).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE', refusal: { for: 'limits' } })
})

it('without the addon, and without limits, write mode runs', async () => {
  const shell = await openTestShell({ mode: 'write', host: addonless() })
  expect((await shell.execute({ command: 'echo there' })).stdout).toBe('there\n')
})

it('without sessions the limit of the private TMPDIR is reported as not enforced', () => {
  const holder = linuxLimits({ cgroup: '', cgroupMissing: 'unmounted', sessions: false })
  const none = { memory_bytes: 0, cpu_seconds: 0, processes: 0, open_files: 0 }
  const rowOf = (bytes: number) =>
    limitsEnforcement(limitsOf({ ...none, private_tmp_bytes: bytes }, true), holder)
  expect(rowOf(2 ** 30)).toEqual({
    limits: {
      enforced: false,
      by: 'none',
      note: privateTmpNote(withoutSessions),
    },
  })
  expect(rowOf(0)).toEqual({})
})
