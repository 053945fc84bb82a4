import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { limitsNote } from '../../../src/messages/limits.ts'
import { ownMarker } from '../../helpers/markers.ts'
import { makeDirectory } from '../../helpers/place.ts'
import { aliveWith, survivors, waitFor } from '../../helpers/processes.ts'
import { repository } from '../../helpers/programs.ts'
import { runAs } from '../../helpers/run-as.ts'
import { makeTopmost, noTopmost, type Topmost } from '../../helpers/topmost.ts'

const missing = noTopmost()
const root = { name: 'root', uid: 0, gid: 0 }
/** Who runs the line is found neither by his session nor by his environment. */
const runaway = (line: string, marker: string) =>
  `env -i setsid sh -c '${line}' ${marker} >/dev/null 2>&1 & echo started; wait`

describe.skipIf(missing !== undefined)(
  `in a container's topmost cgroup${missing ? ` (${missing})` : ''}`,
  () => {
    let topmost: Topmost

    beforeAll(() => {
      topmost = makeTopmost()
    })

    afterEach(async () => {
      expect(await waitFor(() => topmost.inner().length === 0)).toBe(true)
    })

    afterAll(async () => {
      expect(await topmost.remove()).toBe(true)
    })

    async function run(mode: 'read' | 'write', limits: NodeJS.ProcessEnv, line: string) {
      const env = { PATH: process.env['PATH'], HOME: '/dev/null/home', ...limits }
      const errand = { options: { mode, env, cwd: '/' }, commands: [['sh', '-c', line]], timeoutMs: 20_000 }
      const [result] = await runAs(root, { ...errand, wrapper: topmost.wrapper })
      return result
    }

    it('a cgroup tells CPU time, and ends a process that left session and environment', async () => {
      const marker = ownMarker()
      const line = runaway('while :; do :; done', marker)
      const result = await run('write', { VITRINE_LIMITS_CPU_SECONDS: '1' }, line)
      expect(result?.limited).toBe('cpu')
      expect(result?.enforcement['limits']?.by).toBe('cgroup+rlimit+watch')
      expect(await survivors(marker)).toEqual([])
    })

    it('memory is measured, and the row says why and what to do', async () => {
      const line = 'head -c 300000000 /dev/zero | tail -c 299000000 | wc -c'
      const result = await run('read', { VITRINE_LIMITS_MEMORY_BYTES: '67108864' }, line)
      expect(result?.limited).toBe('memory')
      expect(result?.enforcement['limits']?.note).toBe(limitsNote(topmost.mount, 'topmost'))
    })

    it('a killed host leaves no process, not even one that left session and environment', async () => {
      const marker = ownMarker()
      const script = join(repository, 'test/fixtures/host/host.mjs')
      const host = [process.execPath, script, makeDirectory(), 'wait', 'write']
      const [program = '', ...words] = [
        ...topmost.wrapper,
        ...host,
        runaway('while :; do sleep 1; done', marker),
      ]
      const env = { ...process.env, VITRINE_LIMITS_CPU_SECONDS: '60' }
      const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'ignore'], env })
      const ended = once(child, 'exit')
      await once(child.stdout, 'data')
      expect(aliveWith(marker).filter((pid) => pid !== child.pid).length).toBeGreaterThanOrEqual(2)
      child.kill('SIGKILL')
      await ended
      expect(await survivors(marker)).toEqual([])
    })
  },
)
