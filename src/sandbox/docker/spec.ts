import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { errorReason, tried } from '../../base/errno.ts'
import { packageFile } from '../../base/package-file.ts'
import { homeOf, isBeneath, realPath } from '../../base/paths.ts'
import type { Environment } from '../../base/types.ts'
import { mountMissing } from '../../messages/docker.ts'
import { insideMissing } from '../../messages/workspace.ts'
import { refusalOf } from './engine.ts'
import { keeperScript } from './keeper.ts'

export interface ContainerSettings {
  readonly image: string
  /** `none`, or a network as for `docker run --network`. */
  readonly network: string
  readonly memory: number
  /** The size of a private /tmp in bytes; 0: the same as that of a shared one. */
  readonly privateTmpBytes: number
  readonly user: ContainerUser
  readonly mounts: readonly UserMount[]
}

export interface ContainerUser {
  readonly uid: number
  readonly gid: number
  readonly groups: readonly number[]
}

const keeperId = 65_533

/** Differs from the commands' user: that user could kill the keeper, and with it the container. */
export function keeperOf({ uid }: Pick<ContainerUser, 'uid'>): string {
  const id = uid === keeperId ? keeperId - 1 : keeperId
  return `${id}:${id}`
}

interface ContainerShape {
  /** Directories and mounts, mounted at their own paths, outermost first. */
  readonly mounts: readonly string[]
  readonly writable: boolean
  /** /tmp is private to one command. */
  readonly fresh: boolean
  readonly labels: Readonly<Record<string, string>>
}

/** The body of "Create a container" (API reference). */
export function containerSpec(
  settings: ContainerSettings,
  { mounts, writable, fresh, labels }: ContainerShape,
): object {
  const { memory, privateTmpBytes, user } = settings
  const size = tmpSize(memory, fresh ? privateTmpBytes : 0)
  const temporary = ['/tmp', ...directoriesOnTheWay(settings.mounts)]
  return {
    Image: settings.image,
    Entrypoint: ['/bin/sh', '-c', keeperScript],
    Cmd: [],
    User: keeperOf(user),
    WorkingDir: '/',
    Labels: labels,
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    NetworkDisabled: isLoopbackEnough(settings),
    // The image's own health check would run processes beside the command.
    Healthcheck: { Test: ['NONE'] },
    HostConfig: {
      ...confinement,
      ReadonlyRootfs: true,
      NetworkMode: settings.network,
      Memory: memory,
      // The limit of memory plus swap; the same value means no swap.
      MemorySwap: memory,
      PidsLimit: mostProcesses,
      GroupAdd: user.groups.map(String),
      ShmSize: Math.min(usualShmBytes, Math.floor(memory / 8)),
      Tmpfs: Object.fromEntries(
        temporary.map((path) => [path, `${tmpfs},size=${Math.floor(size / temporary.length)}`]),
      ),
      Mounts: [
        ...mounts.map((path) => bind({ source: path, target: path, writable })),
        ...settings.mounts.map((mount) => bind({ ...mount, writable: writable && mount.writable })),
      ],
    },
  }
}

/** The engine's default seccomp profile and its masks over /proc stay in force. */
const confinement = {
  AutoRemove: true,
  Init: true,
  Privileged: false,
  CapDrop: ['ALL'],
  SecurityOpt: ['no-new-privileges'],
  IpcMode: 'private',
  RestartPolicy: { Name: 'no' },
  // The first process writes nothing worth a log.
  LogConfig: { Type: 'none' },
}

/** Without a network the engine still sets one up (half of a start) unless told; then /etc/hosts is ours. */
function isLoopbackEnough({ network, mounts }: ContainerSettings): boolean {
  return network === 'none' && mounts.some(({ target }) => target === hostsPath)
}

/** Enough for builds and tests; a fork bomb ends there. */
const mostProcesses = 1024

/** The engine's default size of /dev/shm. */
const usualShmBytes = 64 * 1024 ** 2

/** Files in a tmpfs count as the container's memory: a full /tmp leaves half of it to programs. */
function tmpSize(memory: number, wanted: number): number {
  const most = Math.floor(memory / 2)
  return wanted > 0 ? Math.min(wanted, most) : most
}

const tmpfs = 'rw,exec,nosuid,nodev,mode=1777'

function bind({ source, target, writable }: UserMount): object {
  return {
    Type: 'bind',
    Source: source,
    Target: target,
    ReadOnly: !writable,
    BindOptions: { Propagation: 'rprivate', NonRecursive: true },
  }
}

const units: Readonly<Record<string, number>> = { b: 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 }

/** `512m` as for `docker run --memory`; without a unit, bytes. */
export function bytesOf(size: string): number {
  const unit = size.at(-1)?.toLowerCase() ?? ''
  return Number.parseInt(size, 10) * (units[unit] ?? 1)
}

export interface MountedPath {
  readonly source: string
  readonly target: string
}

export interface UserMount extends MountedPath {
  /** Write mode may change it. */
  readonly writable: boolean
}

export const hostsPath = '/etc/hosts'

/** The commands' home directory, a tmpfs. */
const containerHome = '/tmp'

/**
 * Absolute paths with `:ro` or `:rw`. One in the home directory is mounted in the commands' home, where tools
 * look; any other at its own path. Throws SANDBOX_UNAVAILABLE if missing.
 */
export function readUserMounts(entries: readonly string[], env: Environment): readonly UserMount[] {
  const home = homeOf(env)
  return entries.map((entry) => {
    const path = entry.slice(0, -3)
    const target = isBeneath(path, home) ? join(containerHome, path.slice(home.length)) : path
    return { source: existing(path), target, writable: entry.endsWith(':rw') }
  })
}

/** Without symbolic links, so that a container that mounts something else is detected. */
function existing(path: string): string {
  const real = realPath(path)
  if (real === undefined) throw refusalOf(mountMissing(path))
  return real
}

/** On the way from the home directory to a mount: the engine would create them owned by root. */
function directoriesOnTheWay(mounts: readonly UserMount[]): readonly string[] {
  const found = new Set<string>()
  for (const { target } of mounts)
    for (let at = dirname(target); at !== containerHome && isBeneath(at, containerHome); at = dirname(at))
      found.add(at)
  return [...found].filter((path) => mounts.every(({ target }) => target !== path))
}

/** Paths in a container of workspace mode: Node, and vitrine's part that confines commands. */
export const inside = {
  loader: '/.vitrine/loader',
  libraries: '/.vitrine/lib',
  node: '/.vitrine/node',
  script: '/.vitrine/inside.cjs',
  addon: '/.vitrine/vitrine.node',
} as const

/** The mounts, or why they cannot be made. */
export type MadeMounts = readonly UserMount[] | { readonly missing: string }

/**
 * This process's Node with its libraries, and vitrine's part: an image need not have them, nor this machine's C library.
 */
export function nodeMounts(): MadeMounts {
  const mapped = mappedFiles()
  const loader = mapped.find((path) => /^ld-(linux|musl).*\.so/.test(basename(path)))
  const addon = mapped.find((path) => basename(path) === 'vitrine.node')
  if (process.release.name !== 'node' || process.versions['bun'] || process.versions['electron'])
    return { missing: insideMissing.node }
  if (loader === undefined) return { missing: insideMissing.loader }
  if (addon === undefined) return { missing: insideMissing.addon }
  try {
    return mountsOf(loader, addon)
  } catch (error) {
    return { missing: insideMissing.libraries(loader, errorReason(error)) }
  }
}

function mountsOf(loader: string, addon: string): readonly UserMount[] {
  const node = realPath(process.execPath) ?? process.execPath
  const listed = execFileSync(loader, ['--list', node], { encoding: 'utf8', env: {} })
  const libraries = [...listed.matchAll(/^\s*(\S+) => (\/.+) \(0x/gm)].map(([, name = '', path = '']) => ({
    source: path,
    target: `${inside.libraries}/${basename(name)}`,
  }))
  const script = packageFile('dist/inside.cjs')
  const own = [
    { source: loader, target: inside.loader },
    { source: node, target: inside.node },
    { source: script, target: inside.script },
    { source: addon, target: inside.addon },
  ]
  return [...own, ...libraries].map(({ source, target }) => ({
    source: realPath(source) ?? source,
    target,
    writable: false,
  }))
}

/** Files in this process's memory (proc_pid_maps(5)). */
function mappedFiles(): readonly string[] {
  const maps = tried(() => readFileSync('/proc/self/maps', 'utf8')) ?? ''
  return [...new Set([...maps.matchAll(/ (\/.+)$/gm)].map(([, path = '']) => path))]
}
