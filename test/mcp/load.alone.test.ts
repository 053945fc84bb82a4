import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isInstalled, repository } from '../helpers/programs.ts'
import { connect } from './connect.ts'

/** Resident memory of a process in bytes, now or at its highest: proc_pid_status(5). */
function memory(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024
}

describe('under load', () => {
  it('200 MB of output take less than 100 MB of memory, and every byte is saved', async () => {
    const { run, pid } = await connect()
    await run({ command: 'echo warm' })
    const before = memory(pid(), 'VmRSS')
    const command = 'seq -w 0 199999999 | head -c 200000000'
    const { text } = await run({ command, timeout_ms: 120_000 })
    expect(memory(pid(), 'VmHWM') - before).toBeLessThan(100e6)
    expect(text.length).toBeLessThan(31_000)
    const path = /saved whole to scratchpad "output-1" at (\S+);/.exec(text)?.[1] ?? ''
    expect(statSync(path).size).toBe(200_000_000)
    execFileSync('sh', ['-c', `${command} | cmp - ${path}`])
  })
})

it.runIf(isInstalled('nginx'))(
  'behind nginx every call is answered, with one server killed and one drained',
  () => {
    const args = [join(repository, 'test/load/load.mjs'), '--sessions', '60']
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    expect({ status, stderr, stdout }).toMatchObject({ status: 0, stderr: '' })
  },
)
