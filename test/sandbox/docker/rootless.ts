import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { type User, users } from '../../attacks/table.ts'
import { aliveWith, endOne } from '../../helpers/processes.ts'
import { isExecutable } from '../../helpers/repository.ts'
import { importImage, noNetwork, startEngineBy, type TestEngine, testImage } from './dockerd.ts'

/** An engine that an ordinary user starts, at the socket where it is looked for. */
export interface Kind {
  readonly name: string
  /** Beneath XDG_RUNTIME_DIR. */
  readonly socket: string
  readonly needs: readonly string[]
  command(socketPath: string): readonly [string, ...string[]]
}

export const kinds: readonly Kind[] = [
  {
    name: 'rootless Docker',
    socket: 'docker.sock',
    needs: ['dockerd-rootless.sh', 'rootlesskit', 'newuidmap'],
    command: () => ['dockerd-rootless.sh', '--storage-driver=vfs', '--bridge=none', ...noNetwork],
  },
  {
    name: 'rootless Podman',
    socket: 'podman/podman.sock',
    needs: ['podman', 'newuidmap', 'runc'],
    command: (socketPath) => [
      'podman',
      ...['--runtime=runc', '--storage-driver=vfs', 'system', 'service', '--time=0', `unix://${socketPath}`],
    ],
  },
]

/** Debian keeps Docker's script for rootless engines outside of PATH. */
const path = `${process.env['PATH']}:/usr/sbin:/sbin:/usr/share/docker.io/contrib`

/** The ordinary user of `.ci/run`, if it has subordinate ids. */
function ordinaryUser(): User | undefined {
  const hasIds = spawnSync('grep', ['-q', '^vitrine-test:', '/etc/subuid']).status === 0
  return users.find(({ name }) => hasIds && name === 'vitrine-test')
}

export interface RootlessEngine extends TestEngine {
  readonly user: Pick<User, 'uid' | 'gid'>
  readonly runtimeDirectory: string
}

/** Starts one with the test's image in it. Resolves to the reason where none starts here. */
export async function startRootless(kind: Kind): Promise<RootlessEngine | string> {
  if (process.getuid?.() !== 0) return 'taking another user takes root'
  const found = ordinaryUser()
  if (!found) return 'there is no user vitrine-test with subordinate ids'
  const user = { uid: found.uid, gid: found.gid }
  const absent = kind.needs.find((name) => !path.split(delimiter).some((at) => isExecutable(join(at, name))))
  if (absent !== undefined) return `${absent} is not installed`
  const directory = mkdtempSync(join(tmpdir(), 'vitrine-rootless-'))
  const runtimeDirectory = join(directory, 'run')
  const socketPath = join(runtimeDirectory, kind.socket)
  for (const at of [directory, runtimeDirectory, dirname(socketPath)]) {
    mkdirSync(at, { recursive: true })
    chownSync(at, user.uid, user.gid)
    chmodSync(at, 0o700)
  }
  const [program, ...args] = kind.command(socketPath)
  const options = { ...user, cwd: directory, env: environment(directory) }
  // Podman's service in its namespace, and what waits 5 minutes for questions on an ended exec.
  const clean = () => {
    for (const pid of [...aliveWith(`${directory}/`), ...pauseProcess(runtimeDirectory)]) endOne(pid)
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    const started = await startEngineBy(program, args, socketPath, directory, options)
    await importImage(started.engine, directory, testImage)
    return { ...started, runtimeDirectory, user, stop: () => started.stop().then(clean) }
  } catch (error) {
    clean()
    return `it does not start here: ${(error as Error).message}`
  }
}

/** The process that keeps rootless Podman's namespaces open. */
function pauseProcess(runtimeDirectory: string): number[] {
  const file = join(runtimeDirectory, 'libpod/tmp/pause.pid')
  return existsSync(file) ? [Number(readFileSync(file, 'utf8'))] : []
}

/** Without a network of its own: that would need /dev/net/tun. */
function environment(directory: string): NodeJS.ProcessEnv {
  return {
    PATH: path,
    HOME: directory,
    XDG_RUNTIME_DIR: join(directory, 'run'),
    DOCKERD_ROOTLESS_ROOTLESSKIT_NET: 'host',
    DOCKERD_ROOTLESS_ROOTLESSKIT_MTU: '0',
    DOCKERD_ROOTLESS_ROOTLESSKIT_PORT_DRIVER: 'none',
  }
}
