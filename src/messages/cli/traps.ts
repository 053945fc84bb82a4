import type { System } from '../../doctor/system.ts'
import type { Trap, TrapFacts, TrapId } from '../../doctor/traps.ts'

/** What a trap is, and what to do about it. Nothing of it is done by vitrine. */
export interface TrapWords {
  readonly seen: string
  /** One step a line; empty: there is nothing to be done. */
  readonly fix: readonly string[]
}

const landlockCalls = 'landlock_create_ruleset, landlock_add_rule and landlock_restrict_self'

const words: Readonly<Record<TrapId, (found: TrapFacts) => TrapWords>> = {
  'no-addon': ({ host }) => ({
    seen: `the native addon did not load: ${host.missing}`,
    fix: [
      'Install the package again: it has prebuilt addons for Linux on x64 and arm64 (glibc and musl).',
      'In a checkout: npm run build, which needs a C++ compiler and python3.',
    ],
  }),
  'wsl-1': () => ({
    seen: 'WSL 1 translates system calls and has no Landlock',
    fix: ['In PowerShell: wsl --set-version DISTRIBUTION 2 (wsl --list --verbose shows the names).'],
  }),
  'old-kernel': ({ system }) => ({
    seen: `the kernel ${system.kernel} is older than Landlock, which came with 5.13`,
    fix: newerKernel(system),
  }),
  'landlock-filtered': ({ system }) => ({
    seen: `a seccomp filter around this process blocks the landlock_* calls${system.container ? ` (${system.container})` : ''}`,
    fix: passLandlock(system),
  }),
  'landlock-not-built': ({ system }) => ({
    seen: `the kernel ${system.kernel} was built without Landlock (CONFIG_SECURITY_LANDLOCK)`,
    fix: ['Run the kernel of a distribution that has it, or build one with CONFIG_SECURITY_LANDLOCK=y.'],
  }),
  'landlock-disabled': ({ system }) => ({
    seen: `Landlock is built into the kernel, but not among the security modules it was started with${system.lsms ? ` (${system.lsms.join(',')})` : ''}`,
    fix: addToLsms(system),
  }),
  'no-seccomp': () => ({
    seen: 'no seccomp filter can be installed',
    fix: [
      'Run a kernel with CONFIG_SECCOMP_FILTER=y, and a container runtime that lets the seccomp call through.',
    ],
  }),
  'core-dumps': () => ({
    seen: 'core dumps would leave read mode: kernel.core_pattern sends them to a socket ("@"), or to a program ("|") that a hard limit of 0 does not keep from starting',
    fix: [
      'As root: sysctl -w kernel.core_pattern=core, for good in /etc/sysctl.d. It is one setting for the whole machine, also for its containers.',
      'Where it begins with "|": a hard limit of core dumps of 1 or more does, too (limits.conf, LimitCORE=, docker run --ulimit core=1).',
    ],
  }),
  'no-pidfd': () => ({
    seen: 'clone(2) gives no process descriptor, which came with Linux 5.2',
    fix: ['Run a newer kernel.'],
  }),
  'nested-listener': () => ({
    seen: 'this process runs under a seccomp listener already, and there can be one only: vitrine in vitrine, or a container that intercepts calls',
    fix: [
      'Run vitrine outside of the other one. Inside, commands are held, but what is refused them is not reported, and what they leave behind lasts as long as the other one.',
      'LXD: set security.syscalls.intercept.* of the container to false.',
    ],
  }),
  'no-listener': () => ({
    seen: 'no seccomp listener can be installed (Linux 5.0): refusals are not reported, ended commands are swept by a scan of all processes',
    fix: ['Run a newer kernel, or a container runtime that passes SECCOMP_FILTER_FLAG_NEW_LISTENER.'],
  }),
  'listener-proves-nothing': () => ({
    seen: 'the hang-up of a listener does not tell on this kernel that a command has ended whole: ended commands are swept by a scan of all processes',
    fix: ['A newer kernel tells. Nothing has to be done.'],
  }),
  'older-landlock': ({ host }) => ({
    seen: `Landlock has ABI ${host.probe?.landlockAbi} here: what newer ones hold is held by seccomp and its listener`,
    fix: ['Linux 6.12 brings ABI 6. Nothing has to be done.'],
  }),
  'yama-paths': ({ host }) => ({
    seen: `Yama (ptrace_scope ${host.probe?.yama}) hides the memory of commands: reports lack paths, and what is opened for writing is refused unreported`,
    fix:
      host.probe?.yama === 3
        ? [
            '3 holds until the next start: set kernel.yama.ptrace_scope = 1 in /etc/sysctl.d/10-ptrace.conf, and restart.',
          ]
        : [
            'sudo sysctl kernel.yama.ptrace_scope=1; for good: kernel.yama.ptrace_scope = 1 in /etc/sysctl.d/10-ptrace.conf.',
          ],
  }),
  'yama-orphans': () => ({
    seen: 'Yama (ptrace_scope 1) hides the memory of processes whose parent has ended: their reports lack paths',
    fix: [],
  }),
  hidepid: ({ system }) => ({
    seen: `/proc is mounted with hidepid=${system.hidepid}: processes of others are hidden, which vitrine does not look for`,
    fix: [],
  }),
  'memfd-noexec': ({ available }) => ({
    seen: 'vm.memfd_noexec is 2: the watcher cannot be started from memory, and is from an unnamed file in /tmp',
    fix: available ? [] : ['sudo sysctl vm.memfd_noexec=1, or mount /tmp without noexec.'],
  }),
  apparmor: ({ system }) => ({
    seen: `AppArmor confines this process (${system.apparmor}): what it refuses is refused in write mode, too`,
    fix: [],
  }),
  selinux: ({ system }) => ({
    seen: `SELinux confines this process (${system.selinux}): what it refuses is refused in write mode, too`,
    fix: [],
  }),
}

/** Puts a trap into words. */
export function trapWords({ id }: Trap, found: TrapFacts): TrapWords {
  return words[id](found)
}

function isLike({ families }: System, ...wanted: readonly string[]): boolean {
  return wanted.some((family) => families.includes(family))
}

function newerKernel(system: System): string[] {
  const host = system.container === undefined ? '' : ' (of the machine that runs the container)'
  const enough = `Run Linux 5.13 or newer${host}; 6.12 or newer has all of Landlock that vitrine uses.`
  if (system.wsl === 2) return ['In PowerShell: wsl --update, then wsl --shutdown.', enough]
  if (system.container !== undefined) return [enough]
  if (isLike(system, 'ubuntu'))
    return [
      'sudo apt install --install-recommends linux-generic-hwe-$(lsb_release -rs), then restart.',
      enough,
    ]
  if (isLike(system, 'debian')) return ['Debian 12 and newer have it: upgrade.', enough]
  return [enough]
}

function passLandlock({ container }: System): string[] {
  switch (container) {
    case 'docker':
      return [
        'Update Docker on the machine that runs the container: its profile lets them through from 23.0 on.',
        `Otherwise: docker run --security-opt seccomp=PROFILE.json, with Docker's own profile and ${landlockCalls} added to its allowed names.`,
      ]
    case 'podman':
      return [
        'Update containers-common on the machine that runs the container: its profile lets them through since 2022.',
        `Otherwise: podman run --security-opt seccomp=PROFILE.json, with /usr/share/containers/seccomp.json and ${landlockCalls} added to its allowed names.`,
      ]
    case 'kubernetes':
      return [
        'Update containerd or CRI-O on the node: RuntimeDefault is their profile.',
        `Otherwise: securityContext.seccompProfile of type Localhost, with a profile that allows ${landlockCalls}.`,
      ]
    default:
      return [
        `Let whatever starts vitrine allow ${landlockCalls}.`,
        'A systemd unit: add them to its SystemCallFilter=. Snap, Flatpak and sandboxes of other agents: run vitrine outside of them.',
      ]
  }
}

/** Documentation/userspace-api/landlock.rst, boot time configuration: landlock goes to the front of what is there. */
function addToLsms(system: System): string[] {
  const others = system.lsms?.filter((name) => name !== 'capability') ?? []
  const list = `lsm=${['landlock', ...others].join(',')}${others.length === 0 ? ',...' : ''}`
  const look =
    others.length === 0 ? ['cat /sys/kernel/security/lsm shows the ones to keep, in this order.'] : []
  if (system.container !== undefined)
    return [
      ...look,
      `On the machine that runs the container: add ${list} to the kernel's command line, and restart.`,
    ]
  if (system.wsl === 2)
    return [
      'In %UserProfile%\\.wslconfig, [wsl2]: take lsm= out of kernelCommandLine, for the kernel of WSL has Landlock by itself.',
      'Then in PowerShell: wsl --update, wsl --shutdown.',
    ]
  if (isLike(system, 'debian', 'ubuntu'))
    return [
      ...look,
      `In /etc/default/grub add ${list} to GRUB_CMDLINE_LINUX, then sudo update-grub, and restart.`,
    ]
  if (isLike(system, 'fedora', 'rhel', 'centos'))
    return [...look, `sudo grubby --update-kernel=ALL --args="${list}", and restart.`]
  return [...look, `In the boot loader add ${list} to the kernel's command line, and restart.`]
}
