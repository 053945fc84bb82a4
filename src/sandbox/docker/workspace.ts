import { readFileSync, realpathSync } from 'node:fs'
import { join, relative } from 'node:path'
import { isBeneath } from '../../base/program-path.ts'
import { repositoryOf } from '../reads/worktree.ts'
import type { Shown } from './user-mounts.ts'

/** Directories that a container needs for itself: a workspace there would take their place. */
const taken = [
  '/',
  '/bin',
  '/dev',
  '/etc',
  '/lib',
  '/lib64',
  '/proc',
  '/run',
  '/sbin',
  '/sys',
  '/tmp',
  '/usr',
]
/** What lies beneath these is the kernel's. */
const ofTheKernel = ['/dev', '/proc', '/sys']

/** File systems that are a door to the kernel or to other processes: they are not shown where one lies in a workspace. */
const special =
  /^(autofs|binfmt_misc|bpf|cgroup2?|configfs|debugfs|devpts|devtmpfs|efivarfs|fusectl|mqueue|nsfs|proc|pstore|rpc_pipefs|securityfs|selinuxfs|sysfs|tracefs)$/

/** Why a directory cannot be a container's workspace; undefined: it can. */
export function unfitWorkspace(
  workspace: string,
  socketPath: string,
): 'system' | 'engine-socket' | undefined {
  if (taken.includes(workspace) || ofTheKernel.some((path) => isBeneath(workspace, path))) return 'system'
  return isBeneath(realPathOf(socketPath), workspace) ? 'engine-socket' : undefined
}

function realPathOf(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}

/** The directories that a container shows at their own paths: the workspace, and where Git keeps its repository. */
export function placesOf(workspace: string): readonly string[] {
  return [workspace, ...repositoryOf(workspace)]
}

/**
 * The same, and every mount beneath them, outermost first. A bind mount that is read-only leaves mounts beneath it as they
 * are (mount_setattr(2)), which engines before 25 do not mend: so each is given by itself, and none comes along.
 */
export function mountsOf(places: readonly string[], mounts: readonly MountPoint[]): readonly string[] {
  const beneath = mounts
    .filter(({ point, kind }) => !special.test(kind) && places.some((place) => isBeneath(point, place)))
    .map(({ point }) => point)
  return [...new Set([...places, ...beneath])].sort()
}

/** A line of proc_pid_mountinfo(5). */
export interface MountPoint {
  readonly point: string
  /** The type of the file system. */
  readonly kind: string
  /** Which file system it is: its device, `MAJOR:MINOR`. */
  readonly device: string
  /** Which directory of it stands at the point. */
  readonly root: string
}

/** The mounts of this process; none where there is no proc file system. */
export function mountTable(): MountPoint[] {
  return readMounts(textOf('/proc/self/mountinfo'))
}

/** Device, root and point are the fields from the third on, the type is the first behind the dash; blanks in a path are `\040`. */
export function readMounts(text: string): MountPoint[] {
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
 * The first path at which a container shows something else than stands there by the table of this machine, which no symbolic
 * link has a part in; undefined: there is none. The engine follows links when it mounts, and whoever writes in the workspace
 * can put one in the place of a directory on the way to a mount.
 */
export function wronglyShown(
  paths: readonly Shown[],
  here: readonly MountPoint[],
  there: readonly MountPoint[],
): string | undefined {
  return paths.find(({ source, target }) => {
    const [wanted, shown] = [standingAt(source, here), there.findLast(({ point }) => point === target)]
    return !wanted || shown?.device !== wanted.device || shown.root !== wanted.root
  })?.target
}

/** The first path that shows the engine's socket, by whatever mount: whoever has that is root. Undefined: none does. */
export function showsSocket(
  paths: readonly string[],
  here: readonly MountPoint[],
  socketPath: string,
): string | undefined {
  const socket = standingAt(realPathOf(socketPath), here)
  return paths.find((path) => {
    const shown = standingAt(path, here)
    return socket && shown && shown.device === socket.device && isBeneath(socket.root, shown.root)
  })
}

/** What stands at a path: of the mounts above it the nearest, and of several at one point the last. */
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

/** Empty where there is no proc file system: there the engine runs in a machine of its own. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}
