import type { Refusal } from '../base/refusal.ts'
import type { Failure, Limit, Outcome } from '../base/types.ts'
import type { Limits } from '../launch/launch.ts'
import type { CgroupMissing } from '../sandbox/sandbox.ts'

type Limited = Extract<Outcome, { kind: 'limited' }>

/** Which limit was reached, and its value. */
export function limitReached({ limit, value, container }: Omit<Limited, 'kind'>): string {
  switch (limit) {
    case 'memory':
      if (container) return `the container's memory, ${size(value)}, was used up ([docker] memory)`
      return `it used more memory than ${size(value)} ([limits] memory_bytes = ${value})`
    case 'cpu':
      return `it used up its CPU time of ${value} s ([limits] cpu_seconds = ${value})`
    case 'processes':
      return `it had more than ${value} ${value === 1 ? 'process' : 'processes'} at one time ([limits] processes = ${value})`
    case 'epoll_watches':
      return 'all epoll watches of its user were in use (/proc/sys/fs/epoll/max_user_watches), and it held some of them'
    case 'private_tmp':
      return `its private TMPDIR grew over ${size(value)} ([limits] private_tmp_bytes = ${value})`
  }
}

const lessOf: Readonly<Record<Limit | 'open_files', string>> = {
  memory: 'Work on less data at a time, or stream it',
  cpu: 'Ask for less at once: narrow the search, or split the work',
  processes: 'Run fewer things at the same time: a smaller -j or -P',
  private_tmp: 'Keep less in TMPDIR: pipe instead, or remove what is done with',
  epoll_watches: 'Watch fewer descriptors',
  open_files: 'Keep fewer files open at the same time',
}

/** Whether another try makes sense, and how. */
export function limitAdvice(limit: Limit | 'open_files'): Omit<Failure, 'kind'> {
  return {
    retryable: true,
    advice:
      limit === 'epoll_watches'
        ? `${lessOf[limit]}.`
        : `${lessOf[limit]}; or have the user raise the limit in the configuration.`,
  }
}

/** EMFILE in the words of strerror(3), of glibc and musl, and of glibc's loader: the kernel tells nobody else of that limit. */
const noFilesWords =
  /too many open files|no file descriptors available|\bEMFILE\b|cannot open shared object file: Error 24$/im

/** Which limit a command that failed ran into, where it says so; undefined: none that it names. */
export function openFilesHint(
  limits: Limits | null,
  exitCode: number | null,
  errors: string,
): string | undefined {
  if (!limits?.openFiles || !exitCode || !noFilesWords.test(errors)) return undefined
  return `Each process may have ${limits.openFiles} open files at one time ([limits] open_files = ${limits.openFiles}).`
}

export function containerMemoryHint(bytes: number): string {
  return `The kernel killed a process (OOM) because the container's memory, ${size(bytes)}, was used up ([docker] memory). Files in /tmp and /dev/shm count; a container with nothing left running is replaced.`
}

const cgroupReasons: Readonly<Record<CgroupMissing, string>> = {
  unmounted: 'no cgroup v2 is mounted',
  foreign:
    'the cgroup v2 that is mounted begins above this container, and nothing tells which part of it is ours (let the engine mount the container its own)',
  'no-memory': 'cgroup v2 has no memory controller here: it is not enabled above, or belongs to cgroup v1',
  'not-enabled': 'the memory controller cannot be enabled beneath the cgroup above this process',
  topmost:
    'this process stands in the topmost cgroup of its container or service, which cannot hold processes and limits of memory at once (before vitrine starts, move all processes of that cgroup into a leaf of it)',
  'not-delegated':
    'the cgroup above this process is not delegated to it (systemd: Delegate=yes, DelegateSubgroup=)',
  'not-writable':
    'the cgroup of this process, or the one above, cannot be written to (a container: mount it writable, and move all its processes into a leaf)',
}

/** Which limit is held by what. */
export function limitsNote(cgroup: string, missing: CgroupMissing | ''): string {
  const files = 'open files: RLIMIT_NOFILE'
  const measured = 'and the private TMPDIR: measured every few milliseconds'
  if (cgroup === '')
    return `memory, CPU time, processes ${measured}; ${files}; no cgroup: ${cgroupReasons[missing || 'unmounted']}`
  if (missing === '')
    return `memory: memory.max of a cgroup in ${cgroup}; CPU time: its cpu.stat; processes ${measured}; ${files}`
  return `CPU time: cpu.stat of a cgroup in ${cgroup}; memory, processes ${measured}; ${files}; no memory.max: ${cgroupReasons[missing]}`
}

/** Inside of another read mode the watch would find nobody: sessions are only pretended there. */
export const withoutSessions = {
  wanted: 'sessions (setsid(2)), by which the watch tells what belongs to a command',
  got: 'a sandbox around this process gives its commands no session of their own',
  remedy: 'run vitrine outside of that sandbox',
}

/** What its size is worth where nothing holds limits. */
export function privateTmpNote({ wanted, got }: { wanted: string; got: string }, bytes: number): string {
  return `the private TMPDIR can grow over ${size(bytes)} ([limits] private_tmp_bytes) by what a command starts or leaves behind: holding it needs ${wanted}; this host: ${got}`
}

/** The same before a command, where all other limits are refused. */
export function limitsRefusedNote(): string {
  return `refused, and private_tmp_bytes holds a command's first process only: they need ${withoutSessions.wanted}; this host: ${withoutSessions.got}`
}

/** Why a command is not run without its limits. */
export function describeNoLimits({
  wanted,
  got,
  remedy,
}: Extract<Refusal, { code: 'SANDBOX_UNAVAILABLE' }>): string {
  return `The limits of the configuration ([limits]) need ${wanted}; this host: ${got}. Nothing ran. To have limits: ${remedy}. To run without: set memory_bytes, cpu_seconds, processes and open_files to 0.`
}

function size(bytes: number): string {
  if (bytes === 1) return '1 byte'
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']
  const power = bytes < 1024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10))
  const scaled = bytes / 1024 ** power
  return `${Number.isInteger(scaled) ? scaled : scaled.toFixed(1)} ${units[power]}`
}
