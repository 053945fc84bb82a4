import type { Unmet } from '../base/refusal.ts'
import { bytesText } from '../base/text.ts'
import type { Failure, Limit, Outcome } from '../base/types.ts'
import type { Limits } from '../launch/launch.ts'
import type { CgroupMissing } from '../sandbox/sandbox.ts'

type Limited = Extract<Outcome, { kind: 'limited' }>

/** Undefined: the kernel's own limit. */
export const limitKeys = {
  memory: 'memory_bytes',
  cpu: 'cpu_seconds',
  processes: 'processes',
  private_tmp: 'private_tmp_bytes',
  epoll_watches: undefined,
} as const satisfies Readonly<Record<Limit, string | undefined>>

export function limitReached({ limit, value, container }: Omit<Limited, 'kind'>): string {
  if (container) return `its container ran out of memory, ${bytesText(value)} ([docker] memory)`
  if (limit !== 'epoll_watches') return `it used more than [limits] ${limitKeys[limit]} = ${value}`
  return 'its user reached the limit of epoll watches (/proc/sys/fs/epoll/max_user_watches), and it held some of them'
}

/** What vitrine itself may run out of, by errno(3). */
const moreOf: Readonly<Record<string, string>> = {
  EMFILE: 'let vitrine open more files (ulimit -n)',
  ENFILE: 'let the system open more files (sysctl fs.file-max)',
  EFBIG: 'let vitrine write larger files (ulimit -f)',
  EAGAIN: 'let the user or the container have more processes (ulimit -u, pids.max)',
}

/** What to do where vitrine lacks descriptors or processes; undefined: the errno tells of something else. */
export function scarcityRemedy(errno: string): string | undefined {
  return moreOf[errno]
}

const lessOf: Readonly<Record<Limit | 'open_files', string>> = {
  memory: 'Process less data at a time, or stream it',
  cpu: 'Do less at once: narrow the search, or split the work',
  processes: 'Run fewer processes at the same time (a smaller -j or -P)',
  private_tmp: 'Keep less in TMPDIR: use pipes, or remove files earlier',
  epoll_watches: 'Watch fewer descriptors',
  open_files: 'Keep fewer files open at the same time',
}

/** Whether to retry, and how. */
export function limitAdvice(limit: Limit | 'open_files'): Omit<Failure, 'kind'> {
  return {
    retryable: true,
    advice:
      limit === 'epoll_watches'
        ? `${lessOf[limit]}.`
        : `${lessOf[limit]}, or have the user raise the limit in the configuration.`,
  }
}

/** EMFILE as strerror(3) of glibc and musl, and glibc's loader, put it. The kernel reports that limit only to the program itself. */
const noFilesWords =
  /too many open files|no file descriptors available|\bEMFILE\b|cannot open shared object file: Error 24$/im

export function openFilesHint(
  limits: Limits | null,
  exitCode: number | null,
  errors: string,
): string | undefined {
  if (!limits?.openFiles || !exitCode || !noFilesWords.test(errors)) return undefined
  return `Each process may have at most ${limits.openFiles} open files ([limits] open_files = ${limits.openFiles}).`
}

export function containerMemoryHint(bytes: number): string {
  return `The kernel killed a process because the container ran out of memory, ${bytesText(bytes)} ([docker] memory). Files in /tmp and /dev/shm count towards it; vitrine replaces a container in which nothing runs any more.`
}

const cgroupReasons: Readonly<Record<CgroupMissing, string>> = {
  unmounted:
    'no cgroup v2 is mounted, or one that begins above this container (let the engine mount a cgroup of its own)',
  'no-memory': 'cgroup v2 has no memory controller here: a parent does not enable it, or cgroup v1 uses it',
  'not-enabled': 'the parent cgroup cannot enable the memory controller for its children',
  topmost:
    'this process is in the topmost cgroup of its container or service, which cannot contain both processes and memory limits (before vitrine starts, move all processes of that cgroup into a child of it)',
  'not-delegated':
    'the parent cgroup is not delegated to this process (systemd: Delegate=yes, DelegateSubgroup=)',
  'not-writable':
    'the cgroup of this process or its parent is not writable (in a container: mount it writable, and move all its processes into a child)',
}

export function limitsNote(cgroup: string, missing: CgroupMissing | ''): string {
  const files = 'open files: RLIMIT_NOFILE'
  const measured = 'and the private TMPDIR: measured every few milliseconds'
  if (cgroup === '')
    return `memory, CPU time, processes ${measured}; ${files}; no cgroup: ${cgroupReasons[missing || 'unmounted']}`
  if (missing === '')
    return `memory: memory.max of a cgroup in ${cgroup}; CPU time: its cpu.stat; processes ${measured}; ${files}`
  return `CPU time: cpu.stat of a cgroup in ${cgroup}; memory, processes ${measured}; ${files}; no memory.max: ${cgroupReasons[missing]}`
}

/** Inside another read mode, setsid(2) creates no session by which processes could be found. */
export const withoutSessions: Unmet = {
  wanted: 'sessions (setsid(2)), which show what belongs to a command',
  got: 'a sandbox around this process gives commands no session of their own',
  remedy: 'run vitrine outside that sandbox',
}

export function privateTmpNote({ wanted, got }: Pick<Unmet, 'wanted' | 'got'>): string {
  return `child and background processes can exceed [limits] private_tmp_bytes: the limit needs ${wanted}; found: ${got}`
}

/** The same in `vitrine doctor`, where all other limits are refused. */
export const limitsRefusedNote = `refused, and private_tmp_bytes limits only the first process of a command: limits need ${withoutSessions.wanted}; found: ${withoutSessions.got}`
