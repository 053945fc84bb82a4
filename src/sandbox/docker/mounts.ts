import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { errorReason, tried } from '../../base/errno.ts'
import { packageFile } from '../../base/package-file.ts'
import { homeOf, isBeneath, realPath } from '../../base/paths.ts'
import { words } from '../../base/text.ts'
import type { Environment } from '../../base/types.ts'
import { unavailable, type VitrineError } from '../../messages/error.ts'
import { repositoryOf } from '../workspace/git-directories.ts'
import { refusalOf } from './engine.ts'

export interface Mount {
  readonly source: string
  readonly target: string
  /** Of `[docker] mounts`: write mode may change it. */
  readonly writable: boolean
}

export const hostsPath = '/etc/hosts'

/** The commands' home directory, a tmpfs. */
export const containerHome = '/tmp'

/** Directories that a container needs itself: a workspace mounted there would hide them. */
const taken = words('/ /bin /dev /etc /lib /lib64 /proc /run /sbin /sys /tmp /usr')
/** Everything beneath these belongs to the kernel. */
const ofTheKernel = ['/dev', '/proc', '/sys']

/** Give access to the kernel or other processes: never mounted, even in a workspace. */
const special =
  /^(autofs|binfmt_misc|bpf|cgroup2?|configfs|debugfs|devpts|devtmpfs|efivarfs|fusectl|mqueue|nsfs|proc|pstore|rpc_pipefs|securityfs|selinuxfs|sysfs|tracefs)$/

/**
 * The directories mounted at their own paths: the workspace, and where Git keeps its repository. Throws
 * SANDBOX_UNAVAILABLE for a workspace that no container can have.
 */
export function placesOf(workspace: string, socketPath: string): readonly [string, ...string[]] {
  if (taken.includes(workspace) || ofTheKernel.some((path) => isBeneath(workspace, path)))
    throw unfit(workspace, 'which a container needs for itself')
  if (isBeneath(realPath(socketPath) ?? socketPath, workspace)) throw showsEngine(workspace)
  return [workspace, ...repositoryOf(workspace)]
}

function showsEngine(path: string) {
  return unfit(path, "which contains the engine's socket: access to it grants root on this machine")
}

function unfit(path: string, why: string) {
  return refusalOf({
    wanted: 'a workspace that a container can mount',
    got: `${path}, ${why}`,
    remedy: 'work in the directory of a project, or name one with --workspace',
  })
}

/**
 * Absolute paths with `:ro` or `:rw`. One in the home directory is mounted in the commands' home, where tools
 * look; any other at its own path. Throws SANDBOX_UNAVAILABLE if missing.
 */
export function readUserMounts(entries: readonly string[], env: Environment): readonly Mount[] {
  const home = homeOf(env)
  return entries.map((entry) => {
    const path = entry.slice(0, -3)
    const target = isBeneath(path, home) ? join(containerHome, path.slice(home.length)) : path
    // Without symbolic links, so that a container that mounts something else is detected.
    const source = realPath(path)
    if (source !== undefined) return { source, target, writable: entry.endsWith(':rw') }
    throw refusalOf({
      wanted: 'every path of [docker] mounts',
      got: `${path} does not exist or cannot be read`,
      remedy: 'create it, or remove it from [docker] mounts',
    })
  })
}

export interface MountPoint {
  readonly point: string
  readonly kind: string
  /** The device of the file system, `MAJOR:MINOR`. */
  readonly device: string
  /** Which directory of the file system is mounted there. */
  readonly root: string
}

/** This process's mounts; none without /proc: the engine then runs in a virtual machine. */
export function mountTable(): readonly MountPoint[] {
  return readMountTable(tried(() => readFileSync('/proc/self/mountinfo', 'latin1')) ?? '')
}

/** Fields 3 to 5: device, root, mount point; the type follows the dash; a blank in a path is `\040`. */
export function readMountTable(text: string): readonly MountPoint[] {
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.map((line) => {
    const [before = '', after = ''] = line.split(' - ')
    const [, , device = '', root = '', point = ''] = before.split(' ')
    return { point: decoded(point), kind: after.split(' ')[0] ?? '', device, root: decoded(root) }
  })
}

function decoded(path: string): string {
  const bytes = path.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  )
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

/**
 * The places and every mount beneath, outermost first. A read-only bind mount leaves mounts beneath it writable
 * (mount_setattr(2)), and so do engines before 25: each is mounted by itself.
 */
export function mountsAt(places: readonly string[], here: readonly MountPoint[]): readonly string[] {
  const beneath = here
    .filter(({ point, kind }) => !special.test(kind) && places.some((place) => isBeneath(point, place)))
    .map(({ point }) => point)
  return [...new Set([...places, ...beneath])].sort()
}

/** Throws SANDBOX_UNAVAILABLE if one contains the engine's socket, through any mount. */
export function refuseSocket(
  mounts: readonly Mount[],
  here: readonly MountPoint[],
  socketPath: string,
): void {
  const socket = standingAt(realPath(socketPath) ?? socketPath, here)
  for (const { source } of mounts) {
    const shown = standingAt(source, here)
    if (socket && shown?.device === socket.device && isBeneath(socket.root, shown.root))
      throw showsEngine(source)
  }
}

/**
 * Throws SANDBOX_UNAVAILABLE if a mount differs from this host's table. The engine follows symbolic links when it mounts, so
 * a process in the workspace could redirect one; the table involves no links.
 */
export function refuseOthers(
  mounts: readonly Mount[],
  here: readonly MountPoint[],
  there: readonly MountPoint[],
): void {
  for (const { source, target } of mounts) {
    const [wanted, shown] = [standingAt(source, here), there.findLast(({ point }) => point === target)]
    if (!wanted || shown?.device !== wanted.device || shown.root !== wanted.root)
      throw refusalOf({
        wanted: 'a container with the same workspace as this machine',
        got: `it has something else at ${target}: a directory on that path is a link, or the engine has other mounts than this process`,
        remedy:
          'check the mounts and links on that path (findmnt, ls -ld); a command in write mode may have changed them',
      })
  }
}

/** The nearest mount above; the last of several at one point. */
function standingAt(
  path: string,
  mounts: readonly MountPoint[],
): Pick<MountPoint, 'device' | 'root'> | undefined {
  const above = mounts.filter(({ point }) => isBeneath(path, point))
  const depth = Math.max(...above.map(({ point }) => point.length))
  const nearest = above.findLast(({ point }) => point.length === depth)
  return nearest && { device: nearest.device, root: join(nearest.root, relative(nearest.point, path)) }
}

/** Paths in a container of workspace mode: Node, and vitrine's part that confines commands. */
export const inside = {
  loader: '/.vitrine/loader',
  libraries: '/.vitrine/lib',
  node: '/.vitrine/node',
  script: '/.vitrine/inside.cjs',
  addon: '/.vitrine/vitrine.node',
} as const

/**
 * This process's Node with its libraries, and vitrine's part: an image need not have them, nor this machine's C library. Throws
 * SANDBOX_UNAVAILABLE where they cannot be mounted.
 */
export function nodeMounts(): readonly Mount[] {
  if (process.release.name !== 'node' || process.versions['bun'] || process.versions['electron'])
    throw cannotHold('this process is not Node')
  const loader = loaded(/^ld-(linux|musl).*\.so/, 'this Node has no dynamic loader')
  const addon = loaded(/^vitrine\.node$/, 'the addon of vitrine is not loaded')
  const node = realPath(process.execPath) ?? process.execPath
  const paths: readonly (readonly [target: string, source: string])[] = [
    [inside.loader, loader],
    [inside.node, node],
    [inside.script, packageFile('dist/inside.cjs')],
    [inside.addon, addon],
    ...librariesOf(node, loader).map((path) => [join(inside.libraries, basename(path)), path] as const),
  ]
  return paths.map(([target, source]) => ({ target, source: realPath(source) ?? source, writable: false }))
}

function cannotHold(missing: string): VitrineError {
  return unavailable({
    for: 'workspace',
    wanted: 'a Node of Linux with the addon of vitrine, to hold the command inside of the container',
    got: missing,
    remedy: 'use --backend local, or --mode read or --mode write',
  })
}

/** A file in this process's memory (proc_pid_maps(5)). */
function loaded(name: RegExp, missing: string): string {
  const maps = tried(() => readFileSync('/proc/self/maps', 'utf8')) ?? ''
  const files = [...maps.matchAll(/ (\/.+)$/gm)].map(([, path = '']) => path)
  const found = files.find((path) => name.test(basename(path)))
  if (found === undefined) throw cannotHold(missing)
  return found
}

/** Their file names are those by which the loader looks for them. */
function librariesOf(program: string, loader: string): readonly string[] {
  try {
    const listed = execFileSync(loader, ['--list', program], { encoding: 'utf8', env: {} })
    return [...listed.matchAll(/ => (\/.+) \(0x/g)].map(([, path = '']) => path)
  } catch (error) {
    throw cannotHold(`${loader} does not list the libraries of Node (${errorReason(error)})`)
  }
}
