import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, it } from 'vitest'
import { remedies } from '../../../../src/messages/hints.ts'
import { makeDirectory } from '../../../helpers/place.ts'
import { builtLibrary } from '../../../helpers/programs.ts'
import { cannotUnshare } from '../../../helpers/surroundings.ts'
import { fixture, noPython, python } from './world.ts'

const ports = 64

/** In a network of its own, so that the ports of the machine stay as they are. */
const few = `ip link set lo up && echo "40000 ${39_999 + ports}" >/proc/sys/net/ipv4/ip_local_port_range && exec "$@"`

/** One shell takes all that it gets, and another one and a program outside use what is left. */
const host = `
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { openShell } from ${JSON.stringify(builtLibrary)}
const [cwd, python, takes, uses] = process.argv.slice(1)
const open = () => openShell({ mode: 'workspace', cwd })
const [greedy, other] = [await open(), await open()]
const use = async () => {
  const { stdout, denials } = await other.execute({ argv: [python, uses] })
  const outside = spawnSync(python, [uses], { encoding: 'utf8', env: { TMPDIR: cwd } }).stdout
  return { inside: stdout, outside, denials }
}
const rows = (path) => readFileSync(path, 'utf8').trim().split('\\n').slice(1)
const held = () => ({
  descriptors: readdirSync('/proc/self/fd').length,
  threads: readdirSync('/proc/self/task').length,
  kibibytes: Number(/^VmRSS:\\s+(\\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]),
  segments: rows('/proc/sysvipc/shm').filter((row) => Number(row.trim().split(/\\s+/)[4]) === process.pid).length,
  ports: ['tcp', 'tcp6', 'udp'].flatMap((table) => rows('/proc/net/' + table)).filter((row) => row.trim().split(/\\s+/)[3] !== '06').length,
})
async function exhaust() {
  const stdin = new PassThrough()
  let tell
  const told = new Promise((resolve) => { tell = resolve })
  const onOutput = (_stream, chunk) => tell(String(chunk))
  const ended = greedy.execute({ argv: [python, takes], stdin, timeoutMs: 100_000 }, { onOutput })
  const taken = JSON.parse(await told)
  const during = { ...await use(), ...held() }
  stdin.end('\\n')
  const { exitCode, denials, hint } = await ended
  // The command's server ends after the result.
  for (let left = held(); left.segments + left.ports > 0; left = held()) await wait(10)
  return { taken, during, exitCode, denials, hint, after: held() }
}
const before = await use()
const rounds = [await exhaust(), await exhaust()]
console.log(JSON.stringify({ before, rounds, after: await use() }))
process.exit()`

interface Use {
  readonly inside: string
  readonly outside: string
  readonly denials: readonly object[]
}
type Held = Record<'descriptors' | 'threads' | 'kibibytes' | 'segments' | 'ports', number>
interface Round {
  readonly taken: Record<string, unknown>
  readonly during: Use & Held
  readonly exitCode: number
  readonly denials: readonly object[]
  readonly hint: string
  readonly after: Held
}

describe.skipIf(noPython || cannotUnshare('--net') !== null)(
  'a command that takes every port, and more',
  () => {
    let told: { readonly before: Use; readonly rounds: readonly [Round, Round]; readonly after: Use }

    beforeAll(async () => {
      const place = makeDirectory()
      chmodSync(place, 0o700)
      const argv = [process.execPath, '--input-type=module', '-e', host, place, python]
      const child = spawn(
        'unshare',
        ['--net', 'sh', '-c', few, 'sh', ...argv, fixture('exhaust.py'), fixture('share.py')],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      )
      const [output] = await Promise.all([text(child.stdout), once(child, 'exit')])
      told = JSON.parse(output)
    }, 150_000)

    it('gets the errors that it gets outside, and those of the limits', () => {
      for (const { taken, exitCode } of told.rounds)
        expect({ ...taken, exitCode }).toEqual({
          gone: 300,
          any: [ports, 'EADDRINUSE'],
          six: [ports, 'EADDRINUSE'],
          datagrams: [ports, 'EADDRINUSE'],
          names: [1000, null],
          paths: [1000, null],
          segments: [256, 'ENOSPC'],
          waiting: ['EAGAIN'],
          descriptors: [expect.any(Number), 'EMFILE'],
          exitCode: 0,
        })
    })

    it('is told of the limit on memory, which is of vitrine', () => {
      for (const { denials, hint } of told.rounds) {
        expect(denials).toMatchObject([{ operation: 'ipc', syscall: 'shmget', program: 'python3', count: 1 }])
        expect(hint).toContain(remedies.user.write)
      }
    })

    it('leaves to other shells what it leaves to programs outside', () => {
      for (const { during } of told.rounds) {
        expect(during).toMatchObject({ inside: during.outside, denials: [] })
        expect(during.outside).toContain('tcp EADDRNOTAVAIL\n')
      }
    })

    it('leaves nothing behind: ports, segments, descriptors, threads and memory are as before', () => {
      const [first, second] = told.rounds
      for (const use of [told.before, told.after])
        expect(use).toMatchObject({ inside: use.outside, denials: [] })
      expect(told.after).toEqual(told.before)
      expect(first.during.ports).toBeGreaterThanOrEqual(3 * ports)
      expect(second.after).toMatchObject({ segments: 0, ports: 0 })
      expect(second.after.descriptors).toBeLessThanOrEqual(first.after.descriptors)
      expect(second.after.threads).toBeLessThanOrEqual(first.after.threads)
      expect(second.after.kibibytes).toBeLessThan(first.after.kibibytes + 8 * 1024)
    })
  },
)
