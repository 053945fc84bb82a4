import { accessSync, constants, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { limitsNote } from '../../../src/messages/limits.ts'
import { isRemoved } from '../../helpers/cgroup.ts'
import { ownMarker } from '../../helpers/markers.ts'
import { makeDirectory } from '../../helpers/place.ts'
import { survivors, waitFor } from '../../helpers/processes.ts'
import { runAs } from '../../helpers/run-as.ts'
import { commandsOf, startHost } from '../watcher/hosts.ts'

/** Why none can be made; undefined: one can. */
function noTopmost(): string | undefined {
  if (process.getuid?.() !== 0) return 'takes root: a cgroup and a mount of its own'
  const mount = mountOfUnified()
  if (mount === undefined) return 'takes cgroup v2'
  try {
    accessSync(join(mount, 'cgroup.procs'), constants.W_OK)
    return undefined
  } catch {
    return 'takes a cgroup v2 that can be written to'
  }
}

/** Where the whole of it is mounted: field 5 of a line of proc_pid_mountinfo(5). */
function mountOfUnified(): string | undefined {
  const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n')
  const line = lines.find((text) => text.includes(' - cgroup2 ') && text.split(' ')[3] === '/')
  return line?.split(' ')[4]
}

const missing = noTopmost()
const root = { name: 'root', uid: 0, gid: 0 }
/** Who runs the line is found neither by his session nor by his environment. */
const runaway = (line: string, marker: string) =>
  `env -i setsid sh -c '${line}' ${marker} >/dev/null 2>&1 & echo started; wait`

describe.skipIf(missing !== undefined)(
  `in a container's topmost cgroup${missing ? ` (${missing})` : ''}`,
  () => {
    const mount = makeDirectory()
    const directory = join(mountOfUnified() ?? '', `vt-topmost-${process.pid}-${Date.now()}`)
    /** A cgroup namespace as a container's: who starts there stands in its topmost cgroup, which is writable. */
    const enter = `echo 0 > ${directory}/cgroup.procs &&
      exec unshare --cgroup --mount sh -c 'mount -t cgroup2 none ${mount} && exec "$@"' sh "$@"`
    const inner = () => readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isDirectory())

    beforeAll(() => void mkdirSync(directory))
    afterEach(async () => expect(await waitFor(() => inner().length === 0)).toBe(true))
    afterAll(async () => expect(await waitFor(() => isRemoved(directory))).toBe(true))

    async function run(mode: 'read' | 'write', limits: NodeJS.ProcessEnv, line: string) {
      const env = { PATH: process.env['PATH'], HOME: '/dev/null/home', ...limits }
      const errand = { options: { mode, env, cwd: '/' }, commands: [['sh', '-c', line]], timeoutMs: 20_000 }
      const [result] = await runAs(root, { ...errand, wrapper: ['sh', '-c', enter, 'sh'] })
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
      expect(result?.enforcement['limits']?.note).toBe(limitsNote(mount, 'topmost'))
    })

    it('a killed host leaves no process, not even one that left session and environment', async () => {
      const marker = ownMarker()
      const line = runaway('while :; do sleep 1; done', marker)
      const before = `export VITRINE_LIMITS_CPU_SECONDS=60 && ${enter}`
      const host = startHost('wait', 'write', [line], { before })
      await host.ready
      expect(commandsOf(host, marker).length).toBeGreaterThanOrEqual(2)
      await host.kill()
      expect(await survivors(marker)).toEqual([])
    })
  },
)
