import { readFileSync } from 'node:fs'
import { constants, machine, release } from 'node:os'
import { tried } from '../base/errno.ts'
import type { Unavailable } from '../base/refusal.ts'
import type { HostSupport } from '../internal.ts'

/** The properties of a system that determine what can be enforced. Unknown ones are absent. */
export interface System {
  readonly kernel: string
  readonly architecture: string
  readonly user: 'root' | 'ordinary'
  /** PRETTY_NAME of os-release(5). */
  readonly distribution?: string
  /** ID and ID_LIKE of os-release(5): `ubuntu`, `debian`. */
  readonly families: readonly string[]
  /** The version of the Windows Subsystem for Linux. */
  readonly wsl?: 1 | 2
  /** The container runtime around this process: `docker`, `podman`, `kubernetes`, `lxc`, ... */
  readonly container?: string
  readonly lsms?: readonly string[]
  /** This process runs under a seccomp filter that vitrine did not install. */
  readonly filtered: boolean
  /** The hidepid= option of /proc: proc(5). */
  readonly hidepid?: string
  readonly memfdNoexec?: number
  readonly apparmor?: string
  readonly selinux?: string
}

type ReadText = (path: string) => string | undefined

function readText(path: string): string | undefined {
  return tried(() => readFileSync(path, 'utf8'))
}

/** Inspects this system; `read` replaces its files in tests. */
export function readSystem(read: ReadText = readText, kernel = release(), env = process.env): System {
  const named = osRelease(read('/etc/os-release') ?? read('/usr/lib/os-release') ?? '')
  return present({
    kernel,
    architecture: machine(),
    user: process.getuid?.() === 0 ? 'root' : 'ordinary',
    distribution: named['PRETTY_NAME'],
    families: `${named['ID'] ?? ''} ${named['ID_LIKE'] ?? ''}`.split(' ').filter((id) => id !== ''),
    wsl: wslOf(kernel),
    container: containerOf(read, env),
    lsms: read('/sys/kernel/security/lsm')?.trim().split(','),
    filtered: /^Seccomp:\s*2$/m.test(read('/proc/self/status') ?? ''),
    hidepid: hidepidOf(read('/proc/self/mountinfo') ?? ''),
    memfdNoexec: numberIn(read('/proc/sys/vm/memfd_noexec')),
    apparmor: confinedBy(read('/proc/self/attr/apparmor/current')),
    selinux:
      read('/sys/fs/selinux/enforce') === '1' ? confinedBy(read('/proc/self/attr/current')) : undefined,
  })
}

function present(all: { readonly [K in keyof System]: System[K] | undefined }): System {
  return Object.fromEntries(
    Object.entries(all).filter(([, value]) => value !== undefined),
  ) as unknown as System
}

/** os-release(5): shell assignments, quoted or not. */
function osRelease(text: string): Readonly<Record<string, string>> {
  const found = [...text.matchAll(/^([A-Z_]+)=(["']?)(.*)\2$/gm)]
  return Object.fromEntries(found.map(([, name = '', , value = '']) => [name, value]))
}

// WSL 1: 4.4.0-19041-Microsoft, WSL 2: 5.15.167.4-microsoft-standard-WSL2; a custom kernel may show neither.
function wslOf(kernel: string): 1 | 2 | undefined {
  if (/-Microsoft$/.test(kernel)) return 1
  return /microsoft|WSL2/.test(kernel) ? 2 : undefined
}

function containerOf(read: ReadText, env: NodeJS.ProcessEnv): string | undefined {
  if (env['KUBERNETES_SERVICE_HOST'] !== undefined) return 'kubernetes'
  if (read('/run/.containerenv') !== undefined) return 'podman'
  if (read('/.dockerenv') !== undefined) return 'docker'
  // Written by systemd; systemd-detect-virt(1) reads it, too.
  return read('/run/systemd/container')?.trim() || env['container']
}

/** proc_pid_mountinfo(5): the fifth field is the mount point, the last the file system's options. */
function hidepidOf(mounts: string): string | undefined {
  const fields = mounts.split('\n').map((line) => line.split(' '))
  const options = fields.findLast((mount) => mount[4] === '/proc')?.at(-1) ?? ''
  const value = /\bhidepid=(\w+)/.exec(options)?.[1]
  return value === '0' || value === 'off' ? undefined : value
}

function numberIn(text: string | undefined): number | undefined {
  return text === undefined || text.trim() === '' ? undefined : Number(text)
}

/** Such as `docker-default (enforce)`; `unconfined` and SELinux's unconfined_t count as none. */
function confinedBy(text: string | undefined): string | undefined {
  const context = text?.replace(/\0/g, '').trim()
  return context === undefined || context === '' || /unconfined/.test(context) ? undefined : context
}

/** `blocks`: neither read nor workspace mode works. `weakens`: something else is missing. */
export type TrapEffect = 'blocks' | 'weakens'

/** A known problem of systems, beyond what the refusal of read mode says. */
export interface Trap {
  readonly id: string
  readonly effect: TrapEffect
  readonly seen: string
  /** One step per line. vitrine does none of that itself. */
  readonly fix: readonly string[]
}

type Probe = NonNullable<HostSupport['probe']>

export interface Found {
  readonly system: System
  readonly host: HostSupport
  readonly unavailable: Unavailable | undefined
}

/** In the order of the report. */
export function trapsOf(found: Found): Trap[] {
  const { platform, missing, probe } = found.host
  if (platform !== 'linux') return []
  const ids = missing === undefined ? probe && idsIn(probe, found) : ['no-addon' as const]
  return (ids ?? []).flatMap((id) => {
    if (id === undefined) return []
    const [seen, ...fix] = known[id](found)
    return [{ id, effect: effectOf(id, probe), seen, fix }]
  })
}

function idsIn(probe: Probe, { system, unavailable }: Found): readonly (keyof typeof known | undefined)[] {
  return [
    ofLandlock(probe, system),
    ofListener(probe),
    probe.coreDumpsErrno === 0 ? undefined : 'core-dumps',
    probe.yama < 2 ? undefined : 'yama-paths',
    unavailable && system.memfdNoexec === 2 ? 'memfd-noexec' : undefined,
  ]
}

const { errno } = constants

/** Filters return EPERM, or ENOSYS for calls newer than themselves; then the list of modules decides. */
function ofLandlock({ landlockAbi, landlockErrno }: Probe, { kernel, lsms, filtered }: System) {
  if (landlockAbi > 0) return undefined
  if (landlockErrno === errno.EPERM || landlockErrno === errno.EACCES) return 'landlock-filtered'
  if (landlockErrno === errno.EOPNOTSUPP) return 'landlock-disabled'
  if (landlockErrno !== errno.ENOSYS) return undefined
  const [major = 0, minor = 0] = kernel.split('.').map((part) => Number.parseInt(part, 10))
  if (major < 5 || (major === 5 && minor < 13)) return 'old-kernel'
  return (lsms?.includes('landlock') ?? filtered) ? 'landlock-filtered' : undefined
}

function ofListener({ seccomp, listener, listenerErrno, getfdErrno }: Probe) {
  if (listener) return getfdErrno === 0 ? undefined : 'getfd-filtered'
  if (listenerErrno === errno.EBUSY) return 'nested-listener'
  return seccomp ? 'no-listener' : undefined
}

/** Since ABI 6 Landlock itself scopes signals; below it the listener must. */
function effectOf(id: keyof typeof known, probe: Probe | undefined): TrapEffect {
  if (id === 'getfd-filtered' || id === 'yama-paths') return 'weakens'
  return id.endsWith('-listener') && probe && probe.landlockAbi >= 6 ? 'weakens' : 'blocks'
}

const withoutListener = 'refusals are not reported, and sweeping an ended command scans all processes'

/** What is seen, and the steps that mend it. */
const known = {
  'no-addon': ({ host }) => [
    `the native addon did not load: ${host.missing}`,
    'Reinstall the package: it has prebuilt addons for Linux on x64 and arm64 (glibc and musl).',
    'In a checkout: npm run build (needs a C++ compiler and python3).',
  ],
  'old-kernel': ({ system: { kernel, wsl, container } }) => [
    `the kernel ${kernel} is too old for Landlock (5.13)`,
    `Run Linux 5.13 or newer${onMachine(container)}; 6.12 and newer have every Landlock feature that vitrine uses.`,
    ...(wsl ? ['In PowerShell: wsl --update; WSL 1: wsl --set-version DISTRIBUTION 2.'] : []),
  ],
  'landlock-filtered': ({ system: { container } }) => [
    `a seccomp filter around this process blocks the landlock_* calls${named(container)}`,
    'Make what starts vitrine allow landlock_create_ruleset, landlock_add_rule and landlock_restrict_self: SystemCallFilter= of a systemd unit, --security-opt seccomp=PROFILE.json of Docker (allowed since 23.0) and Podman, seccompProfile of Kubernetes.',
    'Run vitrine outside Snap, Flatpak and the sandboxes of other agents.',
  ],
  // Documentation/userspace-api/landlock.rst, boot time configuration: landlock goes to the front of the list.
  'landlock-disabled': ({ system: { lsms, container } }) => [
    `Landlock is built into the kernel but not among its active security modules (${lsms ?? ''})`,
    `Add lsm=landlock,${lsms ?? '...'} to the kernel's command line${onMachine(container)}, and reboot. cat /sys/kernel/security/lsm shows the modules to keep; GRUB has the line in /etc/default/grub.`,
  ],
  'nested-listener': () => [
    `this process already runs under a seccomp listener, and only one is possible (vitrine in vitrine, or a container that intercepts calls): ${withoutListener}`,
    'Run vitrine outside the other one. LXD: set security.syscalls.intercept.* of the container to false.',
  ],
  'no-listener': () => [
    `no seccomp listener can be installed (Linux 5.0): ${withoutListener}`,
    'Run a newer kernel, or a container runtime that allows SECCOMP_FILTER_FLAG_NEW_LISTENER.',
  ],
  'getfd-filtered': ({ system: { container } }) => [
    `a seccomp filter around this process blocks pidfd_getfd${named(container)}: read and workspace mode refuse bind(2) to an address, so ip and ss fail, and exclusive flock(2)`,
    'Allow the call: docker run --cap-add SYS_PTRACE; Kubernetes: capabilities.add: [SYS_PTRACE]; a systemd unit: SystemCallFilter=.',
  ],
  'core-dumps': () => [
    'core dumps would leave the sandbox: kernel.core_pattern sends them to a socket ("@"), or to a program ("|") that starts even at a hard limit of 0',
    'As root: sysctl -w kernel.core_pattern=core, permanently in /etc/sysctl.d. It applies to the whole machine, including its containers.',
    'If it begins with "|": a hard limit of core dumps of 1 or more is enough (limits.conf, LimitCORE=, docker run --ulimit core=1).',
  ],
  'yama-paths': ({ host }) => [
    `Yama (ptrace_scope ${host.probe?.yama}) hides the memory of commands: reports lack paths, and refusals to open for writing are not reported`,
    'Set kernel.yama.ptrace_scope = 1 in /etc/sysctl.d/10-ptrace.conf and reboot; sudo sysctl kernel.yama.ptrace_scope=1 lowers 2 at once.',
  ],
  'memfd-noexec': () => [
    'vm.memfd_noexec is 2: the watcher starts from an unnamed file in /tmp instead of from memory',
    'sudo sysctl vm.memfd_noexec=1, or mount /tmp without noexec.',
  ],
} as const satisfies Readonly<Record<string, (found: Found) => readonly [string, ...string[]]>>

const named = (container: string | undefined) => (container === undefined ? '' : ` (${container})`)
const onMachine = (container: string | undefined) =>
  container === undefined ? '' : ' (on the machine that runs the container)'
