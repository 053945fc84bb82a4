import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { tried } from '../../base/errno.ts'
import { isBeneath, realPath } from '../../base/paths.ts'
import { words } from '../../base/text.ts'
import { repositoryOf } from '../workspace/git-directories.ts'
import type { MountedPath } from './spec.ts'

/** Directories that a container needs itself: a workspace mounted there would hide them. */
const taken = words('/ /bin /dev /etc /lib /lib64 /proc /run /sbin /sys /tmp /usr')
/** Everything beneath these belongs to the kernel. */
const ofTheKernel = ['/dev', '/proc', '/sys']

/** Give access to the kernel or other processes: never mounted, even in a workspace. */
const special =
  /^(autofs|binfmt_misc|bpf|cgroup2?|configfs|debugfs|devpts|devtmpfs|efivarfs|fusectl|mqueue|nsfs|proc|pstore|rpc_pipefs|securityfs|selinuxfs|sysfs|tracefs)$/

/** Why a directory cannot be a container's workspace; undefined: it can. */
export function unfitWorkspace(
  workspace: string,
  socketPath: string,
): 'system' | 'engine-socket' | undefined {
  if (taken.includes(workspace) || ofTheKernel.some((path) => isBeneath(workspace, path))) return 'system'
  return isBeneath(realPath(socketPath) ?? socketPath, workspace) ? 'engine-socket' : undefined
}

/** The directories mounted at their own paths: the workspace, and where Git keeps its repository. */
export function workspacePaths(workspace: string): readonly string[] {
  return [workspace, ...repositoryOf(workspace)]
}

/**
 * And every mount beneath, outermost first. A read-only bind mount leaves mounts beneath it writable
 * (mount_setattr(2)), and so do engines before 25: each is mounted by itself.
 */
export function mountsOf(places: readonly string[], mounts: readonly MountPoint[]): readonly string[] {
  const beneath = mounts
    .filter(({ point, kind }) => !special.test(kind) && places.some((place) => isBeneath(point, place)))
    .map(({ point }) => point)
  return [...new Set([...places, ...beneath])].sort()
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
export function mountTable(): MountPoint[] {
  return readMountTable(tried(() => readFileSync('/proc/self/mountinfo', 'latin1')) ?? '')
}

/** Fields 3 to 5: device, root, mount point; the type follows the dash; a blank in a path is `\040`. */
export function readMountTable(text: string): MountPoint[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
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
 * The first mount that differs from this host's table. The engine follows symbolic links when it mounts, so
 * a process in the workspace could redirect one; the table involves no links.
 */
export function wronglyShown(
  paths: readonly MountedPath[],
  here: readonly MountPoint[],
  there: readonly MountPoint[],
): string | undefined {
  return paths.find(({ source, target }) => {
    const [wanted, shown] = [standingAt(source, here), there.findLast(({ point }) => point === target)]
    return !wanted || shown?.device !== wanted.device || shown.root !== wanted.root
  })?.target
}

/** Contains the engine's socket, through any mount: access to it means root. */
export function showsSocket(
  paths: readonly string[],
  here: readonly MountPoint[],
  socketPath: string,
): string | undefined {
  const socket = standingAt(realPath(socketPath) ?? socketPath, here)
  return paths.find((path) => {
    const shown = standingAt(path, here)
    return socket && shown && shown.device === socket.device && isBeneath(socket.root, shown.root)
  })
}

/** The nearest mount above; the last of several at one point. */
function standingAt(
  path: string,
  mounts: readonly MountPoint[],
): Pick<MountPoint, 'device' | 'root'> | undefined {
  const above = mounts.filter(({ point }) => isBeneath(path, point))
  const nearest = above.reduce<MountPoint | undefined>(
    (best, mount) => (best && best.point.length > mount.point.length ? best : mount),
    undefined,
  )
  return nearest && { device: nearest.device, root: join(nearest.root, relative(nearest.point, path)) }
}
