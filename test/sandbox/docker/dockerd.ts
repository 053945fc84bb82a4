import { execFileSync, type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Engine } from '../../../src/sandbox/docker/engine.ts'
import { isExecutable } from '../../helpers/repository.ts'

/** The image that tests run commands in: busybox and nothing else. */
export const testImage = 'vitrine-test:1'

const busybox = '/bin/busybox'
const needed = ['dockerd', 'containerd', 'runc']

/** Why there is no engine to test with; null: there is one. */
export function missingEngine(): string | null {
  if (process.getuid?.() !== 0) return 'starting an engine takes root'
  const program = needed.find((name) => !isProgram(name))
  if (program !== undefined) return `${program} is not installed`
  if (!isExecutable(busybox)) return `${busybox} is not installed`
  return process.env['VITRINE_NO_ENGINE'] ?? null // set by test/sandbox/docker/setup.ts
}

/** Runs one container of an engine of its own, and says why that fails; null: the tests can run. */
export async function whyNoEngine(): Promise<string | null> {
  const missing = missingEngine()
  if (missing !== null) return missing
  const directory = mkdtempSync(join(tmpdir(), 'vitrine-engine-'))
  try {
    const engine = await startIn(directory)
    await runOne(engine, directory).finally(() => engine.stop())
    return null
  } catch (error) {
    return `no container runs here: ${(error as Error).message}`
  } finally {
    unmount(directory)
    rmSync(directory, { recursive: true, force: true })
  }
}

async function runOne({ engine }: TestEngine, directory: string): Promise<void> {
  await importImage(engine, directory, testImage)
  const body = { Image: testImage, Cmd: ['/bin/busybox', 'true'], NetworkDisabled: true }
  const create = { method: 'POST', path: '/containers/create', body } as const
  const { Id } = await engine.call<{ Id: string }>(create)
  await engine.call({ method: 'POST', path: `/containers/${Id}/start` })
  const wait = { method: 'POST', path: `/containers/${Id}/wait` } as const
  const { StatusCode } = await engine.call<{ StatusCode: number }>(wait)
  if (StatusCode !== 0) throw new Error(`${busybox} ended with ${StatusCode} in a container`)
}

function isProgram(name: string): boolean {
  const path = `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`
  return path.split(delimiter).some((directory) => isExecutable(join(directory, name)))
}

/** An engine of the test file's own, in a throw-away directory. */
export interface TestEngine {
  readonly pid: number
  readonly socketPath: string
  /** `unix://` and the socket: what DOCKER_HOST is set to. */
  readonly host: string
  readonly engine: Engine
  /** Ends it, and waits until it has. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

/** Starts one in a directory: no cgroup work, no network, nothing of the machine's is touched. */
export function startIn(directory: string): Promise<TestEngine> {
  const at = (name: string) => join(directory, name)
  const args = [
    ...['-H', `unix://${at('docker.sock')}`, '--data-root', at('data'), '--exec-root', at('exec')],
    ...['--pidfile', at('dockerd.pid'), '--storage-driver=overlay2', '--bridge=none', ...noNetwork],
  ]
  const env = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin:/sbin` }
  return startEngineBy('dockerd', [...args, '--userland-proxy=false'], at('docker.sock'), directory, { env })
}

export const noNetwork = ['--iptables=false', '--ip6tables=false', '--ip-forward=false']

/** Rejects, with its last words, if the program ends before it answers. */
export async function startEngineBy(
  program: string,
  args: readonly string[],
  socketPath: string,
  directory: string,
  options: SpawnOptions,
): Promise<TestEngine> {
  const log = openSync(join(directory, 'log'), 'a')
  const child = spawn(program, args, { ...options, stdio: ['ignore', log, log] })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const died = ended.then(() => Promise.reject(new Error(`${program} ended: ${lastError(directory)}`)))
  died.catch(() => {}) // after the start it ends when it is told to
  const { pid = 0 } = child
  return {
    pid,
    socketPath,
    host: `unix://${socketPath}`,
    engine: await Promise.race([answering(socketPath), died]),
    async stop(signal = 'SIGTERM') {
      child.kill(signal)
      await ended
    },
  }
}

/** The last line of its log that is no mere information. */
function lastError(directory: string): string {
  const lines = readFileSync(join(directory, 'log'), 'utf8').trim().split('\n')
  return lines.findLast((line) => !/level=info|^\[rootlesskit:/.test(line)) ?? 'without a word'
}

/** Resolves when an engine answers there; throws after 30 seconds. */
async function answering(socketPath: string): Promise<Engine> {
  for (let tries = 0; ; tries++) {
    try {
      return await Engine.connect(socketPath)
    } catch (error) {
      if (tries > 300) throw error
      await sleep(100)
    }
  }
}

/** Makes an image of busybox, with more files where they are given, in place of its programs, too. */
export async function importImage(
  engine: Engine,
  directory: string,
  name: string,
  files: Readonly<Record<string, string>> = {},
): Promise<void> {
  const root = mkdtempSync(join(directory, 'rootfs-'))
  chmodSync(root, 0o755) // an engine may give it to the image's root
  for (const path of ['bin', 'tmp', 'proc', 'sys', 'dev', 'etc', 'usr/bin'])
    mkdirSync(join(root, path), { recursive: true })
  chmodSync(join(root, 'tmp'), 0o1777) // the tmpfs mounted there takes it over
  for (const file of [busybox, ...librariesOf(busybox)]) {
    mkdirSync(join(root, dirname(file)), { recursive: true })
    cpSync(file, join(root, file), { dereference: true })
  }
  const applets = execFileSync(busybox, ['--list'], { encoding: 'utf8' }).trim().split('\n')
  for (const applet of applets) if (applet !== 'busybox') symlinkSync('busybox', join(root, 'bin', applet))
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/:/bin/sh\n')
  for (const path of Object.keys(files)) rmSync(join(root, path), { force: true })
  for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text, { mode: 0o755 })
  const body = execFileSync('tar', ['-C', root, '-c', '.'], { maxBuffer: 2 ** 28 })
  const query = { fromSrc: '-', repo: name }
  for await (const line of engine.lines({ method: 'POST', path: '/images/create', query, body })) {
    const { error } = JSON.parse(line) as { readonly error?: string }
    if (error !== undefined) throw new Error(`the engine does not take the image: ${error}`)
  }
}

/** What the dynamic linker loads for a program, as ldd(1) lists it; nothing for a static one. */
export function librariesOf(program: string): string[] {
  const { stdout, status } = spawnSync('ldd', [program], { encoding: 'utf8' })
  return status === 0 ? [...stdout.matchAll(/(\/\S+) \(0x/g)].map(([, file = '']) => file) : []
}

/** What an engine that was killed left mounted in its directory. */
export function unmount(directory: string): void {
  const points = execFileSync('findmnt', ['-rno', 'TARGET'], { encoding: 'utf8' }).split('\n')
  for (const point of points.filter((point) => point.startsWith(`${directory}/`)).reverse())
    execFileSync('umount', ['-l', point])
}
