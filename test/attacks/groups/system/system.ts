import { type Attack, attack, by, type Choices, each, neverUnsandboxed, succeeds } from '../../attack.ts'
import { type capability, succeedsWith } from '../../needs.ts'
import { files } from '../../targets/files.ts'
import { host } from '../../targets/host.ts'

const row = (attempt: string, choices: Choices) => attack(attempt, by('system', attempt), host, choices)

const needing = (name: Parameters<typeof capability>[0], attempt: string) => row(attempt, succeedsWith(name))

/** Never outside read mode: even harmless arguments are too near to the whole machine. */
const never = (attempt: string, errno = 'EPERM') =>
  row(attempt, { control: neverUnsandboxed('it concerns the whole machine', errno) })

const mayRefuse = (attempt: string, errno: string, reason: string) =>
  row(attempt, { control: { kind: 'success', hostMayRefuse: { [errno]: reason } } })

const callNumber = (name: string, number: number, reason: string) =>
  attack(name, by('system', 'call number', String(number), '{file}'), files, {
    control: neverUnsandboxed(reason, 'ENOSYS'),
  })

/** The system as a whole: names, clocks, swap, modules, and the kernel's more dangerous doors. */
export const system: readonly Attack[] = [
  needing('CAP_SYS_ADMIN', 'sethostname'),
  needing('CAP_SYS_ADMIN', 'setdomainname'),
  ...each(
    never,
    `
    settimeofday | clock_settime | swapon | swapoff | acct | quotactl_fd | reboot | kexec_load |
    kexec_file_load | init_module | finit_module | delete_module | fanotify_mark | vhangup |
    lsm_set_self_attr
  `,
  ),
  ...each(row, 'adjtimex | clock_adjtime | quotactl | modify_ldt', { control: succeeds }),
  needing('CAP_SYS_ADMIN', 'bpf'),
  mayRefuse('perf_event_open', 'EACCES', 'kernel.perf_event_paranoid is above 2'),
  mayRefuse('userfaultfd', 'EPERM', 'vm.unprivileged_userfaultfd forbids it'),
  mayRefuse('fanotify_init', 'EPERM', 'before Linux 5.13 only root may'),
  needing('CAP_SYSLOG', 'syslog'),
  needing('CAP_SYS_RAWIO', 'iopl'),
  needing('CAP_SYS_RAWIO', 'ioperm'),
  callNumber('x32 chmod', 0x40000000 + 90, 'ordinary kernels have no x32 table'),
  callNumber('x32 unlink', 0x40000000 + 87, 'ordinary kernels have no x32 table'),
  callNumber('an unreviewed number', 600, 'no kernel has it yet'),
  callNumber('number -1', -1, 'no kernel has it'),
]
