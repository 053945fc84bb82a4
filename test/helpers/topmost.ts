import { accessSync, constants, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRemoved } from './cgroup.ts'
import { makeDirectory } from './place.ts'
import { waitFor } from './processes.ts'

/** A cgroup namespace such as a container's: who is started in it stands in its topmost cgroup, which is writable. */
export interface Topmost {
  /** What stands before the command line of who is to stand there. */
  readonly wrapper: readonly string[]
  /** Where it sees that cgroup. */
  readonly mount: string
  /** The names of the cgroups in it. */
  readonly inner: () => readonly string[]
  /** Once no process is left there. */
  readonly remove: () => Promise<boolean>
}

const enter =
  'echo 0 > "$0/cgroup.procs" && exec unshare --cgroup --mount sh -c \'mount -t cgroup2 none "$0" && exec "$@"\' "$@"'

/** Why none can be made; undefined: one can. */
export function noTopmost(): string | undefined {
  if (process.getuid?.() !== 0) return 'takes root: a cgroup and a mount of its own'
  const mount = mountOfUnified()
  if (mount === undefined) return 'takes cgroup v2'
  try {
    accessSync(join(mount, 'cgroup.procs'), constants.W_OK)
    return undefined
  } catch {
    return 'takes a cgroup v2 that can be written to'
  }
}

export function makeTopmost(): Topmost {
  const directory = join(mountOfUnified() ?? '', `vt-topmost-${process.pid}-${Date.now()}`)
  const mount = makeDirectory()
  mkdirSync(directory)
  return {
    wrapper: ['sh', '-c', enter, directory, mount],
    mount,
    inner: () =>
      readdirSync(directory, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name),
    remove: () => waitFor(() => isRemoved(directory)),
  }
}

/** Where the whole of it is mounted: field 5 of a line of proc_pid_mountinfo(5). */
function mountOfUnified(): string | undefined {
  const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n')
  const line = lines.find((text) => text.includes(' - cgroup2 ') && text.split(' ')[3] === '/')
  return line?.split(' ')[4]
}
