import { execFileSync, spawn } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll } from 'vitest'
import { Engine } from '../../src/sandbox/docker/engine.ts'
import type { Shell } from '../../src/shell.ts'
import { makeDirectory, openTestShell, type TestShellOptions } from '../helpers/place.ts'
import { isExecutable } from '../helpers/programs.ts'

/** The image that tests run commands in: busybox and nothing else. */
export const testImage = 'vitrine-test:1'

const busybox = '/bin/busybox'
const needed = ['dockerd', 'containerd', 'runc']

/** Why there is no engine to test with; null: there is one. */
export function missingEngine(): string | null {
  if (process.getuid?.() !== 0) return 'starting an engine takes root'
  const program = needed.find((name) => !isProgram(name))
  if (program !== undefined) return `${program} is not installed`
  return isExecutable(busybox) ? null : `${busybox} is not installed`
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
  /** The command line that starts one like it. */
  readonly command: readonly [string, ...string[]]
  /** Ends it, and waits until it has. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

const running = new Map<TestEngine, string>()

afterAll(async () => {
  for (const [engine, directory] of running) {
    await engine.stop()
    // What an engine that was killed leaves: the shims of its containers.
    for (const pid of processesWith(`${directory}/`)) process.kill(pid, 'SIGKILL')
    unmount(directory)
    rmSync(directory, { recursive: true, force: true })
  }
  running.clear()
})

/** Starts an engine and gives it the image. Ended after the file's last test. */
export async function startEngine(): Promise<TestEngine> {
  const directory = mkdtempSync(join(tmpdir(), 'vitrine-engine-'))
  const engine = await startIn(directory)
  running.set(engine, directory)
  await importImage(engine.engine, directory, testImage)
  return engine
}

/** The command line of an engine in a directory: no cgroup work, no network, nothing of the machine's is touched. */
export function commandIn(directory: string): readonly [string, ...string[]] {
  const at = (name: string) => join(directory, name)
  return [
    'dockerd',
    ...['-H', `unix://${at('docker.sock')}`, '--data-root', at('data'), '--exec-root', at('exec')],
    ...['--pidfile', at('dockerd.pid'), '--storage-driver=overlay2', '--iptables=false', '--ip6tables=false'],
    ...['--ip-forward=false', '--bridge=none', '--userland-proxy=false'],
  ]
}

async function startIn(directory: string): Promise<TestEngine> {
  const command = commandIn(directory)
  const [program, ...args] = command
  const log = openSync(join(directory, 'log'), 'a')
  const env = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin:/sbin` }
  const child = spawn(program, args, { stdio: ['ignore', log, log], env })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const socketPath = join(directory, 'docker.sock')
  const { pid = 0 } = child
  return {
    pid,
    socketPath,
    host: `unix://${socketPath}`,
    engine: await answering(socketPath),
    command,
    async stop(signal = 'SIGTERM') {
      child.kill(signal)
      await ended
    },
  }
}

/** Resolves when an engine answers there; throws after 30 seconds. */
export async function answering(socketPath: string): Promise<Engine> {
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
  for (const path of ['bin', 'tmp', 'proc', 'sys', 'dev', 'etc', 'usr/bin'])
    mkdirSync(join(root, path), { recursive: true })
  cpSync(busybox, join(root, 'bin/busybox'))
  const applets = execFileSync(busybox, ['--list'], { encoding: 'utf8' }).trim().split('\n')
  for (const applet of applets) if (applet !== 'busybox') symlinkSync('busybox', join(root, 'bin', applet))
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/:/bin/sh\n')
  for (const path of Object.keys(files)) rmSync(join(root, path), { force: true })
  for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text, { mode: 0o755 })
  const body = execFileSync('tar', ['-C', root, '-c', '.'], { maxBuffer: 2 ** 28 })
  const [repo = '', tag = ''] = name.split(':')
  const query = { fromSrc: '-', repo, tag }
  await engine.call({ method: 'POST', path: '/images/create', query, body }).catch(ignoreLines)
}

/** The answer is a line of JSON for each step. */
function ignoreLines(error: unknown): void {
  if (!(error instanceof SyntaxError)) throw error
}

/** What an engine that was killed left mounted in its directory. */
function unmount(directory: string): void {
  const points = execFileSync('findmnt', ['-rno', 'TARGET'], { encoding: 'utf8' }).split('\n')
  for (const point of points.filter((point) => point.startsWith(`${directory}/`)).reverse())
    execFileSync('umount', ['-l', point])
}

/** The configuration of shells that run in containers of the test's image. */
export function dockerToml(more = ''): string {
  return `[docker]\nimage = "${testImage}"\n${more}`
}

/** Opens a shell whose commands run in containers; its directory is an empty one. `toml` follows the table [docker]. */
export function openDockerShell({ host }: TestEngine, options: TestShellOptions = {}): Promise<Shell> {
  return openTestShell({
    cwd: makeDirectory(),
    backend: 'docker',
    ...options,
    toml: dockerToml(options.toml),
    env: { DOCKER_HOST: host, ...options.env },
  })
}

/** What the engine says of a container. */
export interface Listed {
  readonly Id: string
  readonly State: string
  readonly Labels: Readonly<Record<string, string>>
}

export function containersOf({ engine }: TestEngine): Promise<readonly Listed[]> {
  return engine.call({ method: 'GET', path: '/containers/json', query: { all: 'true' } })
}

/** Resolves when it holds; throws after ten seconds. */
export async function eventually(holds: () => Promise<boolean> | boolean, what: string): Promise<void> {
  for (let tries = 0; !(await holds()); tries++) {
    if (tries > 100) throw new Error(`not within ten seconds: ${what}`)
    await sleep(100)
  }
}

/** Processes of this machine whose command line holds a text: those of containers are seen from outside. */
export function processesWith(text: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid && commandLineOf(pid).includes(text))
}

function commandLineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return '' // it has ended
  }
}
