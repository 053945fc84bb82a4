import { readFileSync, realpathSync } from 'node:fs'
import { isBeneath } from '../programs.ts'
import { repositoryOf } from '../worktree.ts'

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
export function mountsOf(places: readonly string[], mounts = mountTable()): readonly string[] {
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
}

function mountTable(): MountPoint[] {
  return readMounts(textOf('/proc/self/mountinfo'))
}

/** The mount point is the fifth field, the type the first behind the dash; blanks in a path are `\040`. */
export function readMounts(text: string): MountPoint[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [before = '', after = ''] = line.split(' - ')
      const point = before.split(' ')[4] ?? ''
      const decoded = point.replace(/\\([0-7]{3})/g, (_, digits: string) =>
        String.fromCharCode(Number.parseInt(digits, 8)),
      )
      return { point: Buffer.from(decoded, 'latin1').toString('utf8'), kind: after.split(' ')[0] ?? '' }
    })
}

/** Empty where there is no proc file system: there the engine runs in a machine of its own. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}
