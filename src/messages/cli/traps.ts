import type { System } from '../../doctor/system.ts'
import type { Trap, TrapFacts, TrapId } from '../../doctor/traps.ts'

/** Describes a trap and how to remove it. vitrine does none of that itself. */
export interface TrapWords {
  readonly seen: string
  /** One step per line; empty: nothing to do. */
  readonly fix: readonly string[]
}

const landlockCalls = 'landlock_create_ruleset, landlock_add_rule and landlock_restrict_self'

const words: Readonly<Record<TrapId, (found: TrapFacts) => TrapWords>> = {
  'no-addon': ({ host }) => ({
    seen: `the native addon did not load: ${host.missing}`,
    fix: [
      'Reinstall the package: it has prebuilt addons for Linux on x64 and arm64 (glibc and musl).',
      'In a checkout: npm run build (needs a C++ compiler and python3).',
    ],
  }),
  'wsl-1': () => ({
    seen: 'WSL 1 translates system calls and has no Landlock',
    fix: ['In PowerShell: wsl --set-version DISTRIBUTION 2 (wsl --list --verbose shows the names).'],
  }),
  'old-kernel': ({ system }) => ({
    seen: `the kernel ${system.kernel} is too old for Landlock (5.13)`,
    fix: newerKernel(system),
  }),
  'landlock-filtered': ({ system }) => ({
    seen: `a seccomp filter around this process blocks the landlock_* calls${inContainer(system)}`,
    fix: passLandlock(system),
  }),
  'landlock-not-built': ({ system }) => ({
    seen: `the kernel ${system.kernel} was built without Landlock (CONFIG_SECURITY_LANDLOCK)`,
    fix: ['Run the kernel of a distribution that has it, or build one with CONFIG_SECURITY_LANDLOCK=y.'],
  }),
  'landlock-disabled': ({ system }) => ({
    seen: `Landlock is built into the kernel but not among its active security modules${system.lsms ? ` (${system.lsms.join(',')})` : ''}`,
    fix: addToLsms(system),
  }),
  'no-seccomp': () => ({
    seen: 'no seccomp filter can be installed',
    fix: ['Run a kernel with CONFIG_SECCOMP_FILTER=y and a container runtime that allows the seccomp call.'],
  }),
  'core-dumps': () => ({
    seen: 'core dumps would leave the sandbox: kernel.core_pattern sends them to a socket ("@"), or to a program ("|") that starts even at a hard limit of 0',
    fix: [
      'As root: sysctl -w kernel.core_pattern=core, permanently in /etc/sysctl.d. It applies to the whole machine, including its containers.',
      'If it begins with "|": a hard limit of core dumps of 1 or more is enough (limits.conf, LimitCORE=, docker run --ulimit core=1).',
    ],
  }),
  'no-pidfd': () => ({
    seen: 'clone(2) returns no process descriptor (Linux 5.2)',
    fix: ['Run a newer kernel.'],
  }),
  'nested-listener': () => ({
    seen: 'this process already runs under a seccomp listener, and only one is possible: vitrine in vitrine, or a container that intercepts calls',
    fix: [
      'Run vitrine outside the other one. Inside, commands are confined, but refusals are not reported, and background processes last as long as the other one.',
      'LXD: set security.syscalls.intercept.* of the container to false.',
    ],
  }),
  'no-listener': () => ({
    seen: 'no seccomp listener can be installed (Linux 5.0): refusals are not reported, and sweeping an ended command scans all processes',
    fix: ['Run a newer kernel, or a container runtime that allows SECCOMP_FILTER_FLAG_NEW_LISTENER.'],
  }),
  'getfd-filtered': ({ system }) => ({
    seen: `a seccomp filter around this process blocks pidfd_getfd${inContainer(system)}: read and workspace mode refuse bind(2) to an address, so ip and ss fail, and exclusive flock(2)`,
    fix: passGetfd(system),
  }),
  'listener-proves-nothing': () => ({
    seen: 'on this kernel the hang-up of a listener does not show that every process of a command has ended; sweeping a command scans all processes',
    fix: ['Nothing to do. A newer kernel shows it.'],
  }),
  'older-landlock': ({ host }) => ({
    seen: `Landlock has ABI ${host.probe?.landlockAbi}: seccomp and its listener enforce what newer ABIs add`,
    fix: ['Nothing to do. Linux 6.12 has ABI 6.'],
  }),
  'yama-paths': ({ host }) => ({
    seen: `Yama (ptrace_scope ${host.probe?.yama}) hides the memory of commands: reports lack paths, and refusals to open for writing are not reported`,
    fix:
      host.probe?.yama === 3
        ? [
            '3 cannot be lowered while the system runs: set kernel.yama.ptrace_scope = 1 in /etc/sysctl.d/10-ptrace.conf and reboot.',
          ]
        : [
            'sudo sysctl kernel.yama.ptrace_scope=1; permanently: kernel.yama.ptrace_scope = 1 in /etc/sysctl.d/10-ptrace.conf.',
          ],
  }),
  'yama-orphans': () => ({
    seen: 'Yama (ptrace_scope 1) hides the memory of processes whose parent has ended: their reports lack paths',
    fix: [],
  }),
  hidepid: ({ system }) => ({
    seen: `/proc is mounted with hidepid=${system.hidepid}, which hides processes of other users; vitrine does not need them`,
    fix: [],
  }),
  'memfd-noexec': ({ available }) => ({
    seen: 'vm.memfd_noexec is 2: the watcher starts from an unnamed file in /tmp instead of from memory',
    fix: available ? [] : ['sudo sysctl vm.memfd_noexec=1, or mount /tmp without noexec.'],
  }),
  apparmor: ({ system }) => ({
    seen: `AppArmor confines this process (${system.apparmor}), in write mode too`,
    fix: [],
  }),
  selinux: ({ system }) => ({
    seen: `SELinux confines this process (${system.selinux}), in write mode too`,
    fix: [],
  }),
}

export function trapWords({ id }: Trap, found: TrapFacts): TrapWords {
  return words[id](found)
}

function inContainer({ container }: System): string {
  return container === undefined ? '' : ` (${container})`
}

function isLike({ families }: System, ...wanted: readonly string[]): boolean {
  return wanted.some((family) => families.includes(family))
}

function newerKernel(system: System): string[] {
  const host = system.container === undefined ? '' : ' (on the machine that runs the container)'
  const enough = `Run Linux 5.13 or newer${host}; 6.12 and newer have every Landlock feature that vitrine uses.`
  if (system.wsl === 2) return ['In PowerShell: wsl --update, then wsl --shutdown.', enough]
  if (system.container !== undefined) return [enough]
  if (isLike(system, 'ubuntu'))
    return [
      'sudo apt install --install-recommends linux-generic-hwe-$(lsb_release -rs), then reboot.',
      enough,
    ]
  if (isLike(system, 'debian')) return ['Upgrade to Debian 12 or newer.', enough]
  return [enough]
}

function passLandlock({ container }: System): string[] {
  switch (container) {
    case 'docker':
      return [
        'Update Docker on the machine that runs the container: its profile allows these calls since 23.0.',
        `Otherwise: docker run --security-opt seccomp=PROFILE.json, with Docker's own profile and ${landlockCalls} added to its allowed names.`,
      ]
    case 'podman':
      return [
        'Update containers-common on the machine that runs the container: its profile allows these calls since 2022.',
        `Otherwise: podman run --security-opt seccomp=PROFILE.json, with /usr/share/containers/seccomp.json and ${landlockCalls} added to its allowed names.`,
      ]
    case 'kubernetes':
      return [
        'Update containerd or CRI-O on the node, which provide the profile RuntimeDefault.',
        `Otherwise: securityContext.seccompProfile of type Localhost, with a profile that allows ${landlockCalls}.`,
      ]
    default:
      return [
        `Make the program that starts vitrine allow ${landlockCalls}.`,
        'For a systemd unit, add them to its SystemCallFilter=. Run vitrine outside Snap, Flatpak and the sandboxes of other agents.',
      ]
  }
}

/** The default profiles of Docker and of containerd allow pidfd_getfd with CAP_SYS_PTRACE only. */
function passGetfd({ container }: System): string[] {
  switch (container) {
    case 'docker':
      return [
        'docker run --cap-add SYS_PTRACE: the default profile allows the call with this capability only.',
      ]
    case 'kubernetes':
      return ['securityContext.capabilities.add: [SYS_PTRACE]: RuntimeDefault allows the call with it only.']
    default:
      return [
        'Make the program that starts vitrine allow pidfd_getfd; for a systemd unit, add it to SystemCallFilter=.',
      ]
  }
}

/** Documentation/userspace-api/landlock.rst, boot time configuration: landlock goes to the front of the list. */
function addToLsms(system: System): string[] {
  const others = system.lsms?.filter((name) => name !== 'capability') ?? []
  const list = `lsm=${['landlock', ...others].join(',')}${others.length === 0 ? ',...' : ''}`
  const show =
    others.length === 0 ? ['cat /sys/kernel/security/lsm shows the modules to keep, in this order.'] : []
  if (system.container !== undefined)
    return [
      ...show,
      `On the machine that runs the container: add ${list} to the kernel's command line, and reboot.`,
    ]
  if (system.wsl === 2)
    return [
      'In %UserProfile%\\.wslconfig, [wsl2]: remove lsm= from kernelCommandLine; the kernel of WSL enables Landlock by default.',
      'Then in PowerShell: wsl --update, wsl --shutdown.',
    ]
  if (isLike(system, 'debian', 'ubuntu'))
    return [
      ...show,
      `In /etc/default/grub add ${list} to GRUB_CMDLINE_LINUX, then run sudo update-grub, and reboot.`,
    ]
  if (isLike(system, 'fedora', 'rhel', 'centos'))
    return [...show, `sudo grubby --update-kernel=ALL --args="${list}", then reboot.`]
  return [...show, `In the boot loader add ${list} to the kernel's command line, and reboot.`]
}
