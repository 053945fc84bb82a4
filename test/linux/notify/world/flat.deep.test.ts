import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { expect, it } from 'vitest'
import { makeDirectory } from '../../../helpers/place.ts'
import { builtLibrary } from '../../../helpers/programs.ts'
import { fixture, noPython, python } from './world.ts'

const host = `
import { openShell } from ${JSON.stringify(builtLibrary)}
const [cwd, ...argv] = process.argv.slice(1)
const shell = await openShell({ mode: 'workspace', cwd })
const onOutput = (_stream, chunk) => process.stdout.write(chunk)
const { exitCode, denials } = await shell.execute({ argv, stdin: process.stdin, timeoutMs: 170_000 }, { onOutput })
console.log(JSON.stringify({ exitCode, denials }))
process.exit()`

interface Use {
  readonly descriptors: number
  readonly kibibytes: number
  readonly ports: number
}

/** What a process holds, from outside. Threads that serve commands have descriptor tables of their own. */
function useOf(pid: number): Use {
  const tables = readdirSync(`/proc/${pid}/task`).map((task) =>
    readdirSync(`/proc/${pid}/task/${task}/fd`).map((fd) => `${task}/fd/${fd}`),
  )
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return {
    descriptors: tables.flat().length,
    kibibytes: Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]),
    ports: portsInUse(),
  }
}

/** Of the machine, but for connections that have ended: what they leave is the client's, as outside (TIME_WAIT). */
function portsInUse(): number {
  const timeWait = '06'
  return ['tcp', 'tcp6']
    .flatMap((table) => readFileSync(`/proc/net/${table}`, 'utf8').trim().split('\n').slice(1))
    .filter((line) => line.trim().split(/\s+/)[3] !== timeWait).length
}

it.skipIf(noPython)(
  'descriptors, ports and memory are flat after 10,000 servers of a command (needs python3)',
  async () => {
    const servers = fixture('many_servers.py')
    const argv = ['--input-type=module', '-e', host, makeDirectory(), python, servers, '1000', '10000']
    const child = spawn(process.execPath, argv, { stdio: ['pipe', 'pipe', 'inherit'] })
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const told = async () => String((await lines.next()).value)
    expect(await told()).toBe('done')
    const before = useOf(child.pid ?? 0)
    child.stdin.write('\n')
    expect(await told()).toBe('done')
    const after = useOf(child.pid ?? 0)
    child.stdin.end('\n')
    expect(JSON.parse(await told())).toEqual({ exitCode: 0, denials: [] })
    await once(child, 'exit')
    expect(after.descriptors).toBeLessThanOrEqual(before.descriptors + 4)
    expect(after.kibibytes).toBeLessThan(before.kibibytes + 16 * 1024)
    // Other tests of this machine have servers, too.
    expect(after.ports).toBeLessThan(before.ports + 1000)
  },
)
