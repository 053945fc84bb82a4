import { type Attack, attack, by, neverUnsandboxed, succeeds } from '../../attack.ts'
import { capability } from '../../needs.ts'
import { files } from '../../targets/files.ts'
import { host } from '../../targets/host.ts'

type Choices = Parameters<typeof attack>[3]

const row = (attempt: string, choices: Choices) => attack(attempt, by('system', attempt), host, choices)

const needing = (name: Parameters<typeof capability>[0], attempt: string) =>
  row(attempt, { control: { kind: 'success', needs: [capability(name)] } })

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
  never('settimeofday'),
  never('clock_settime'),
  row('adjtimex', { control: succeeds }),
  row('clock_adjtime', { control: succeeds }),
  never('swapon'),
  never('swapoff'),
  never('acct'),
  row('quotactl', { control: succeeds }),
  never('quotactl_fd'),
  never('reboot'),
  never('kexec_load'),
  never('kexec_file_load'),
  never('init_module'),
  never('finit_module'),
  never('delete_module'),
  needing('CAP_SYS_ADMIN', 'bpf'),
  mayRefuse('perf_event_open', 'EACCES', 'kernel.perf_event_paranoid is above 2'),
  mayRefuse('userfaultfd', 'EPERM', 'vm.unprivileged_userfaultfd forbids it'),
  mayRefuse('fanotify_init', 'EPERM', 'before Linux 5.13 only root may'),
  never('fanotify_mark'),
  needing('CAP_SYSLOG', 'syslog'),
  never('vhangup'),
  never('lsm_set_self_attr'),
  needing('CAP_SYS_RAWIO', 'iopl'),
  needing('CAP_SYS_RAWIO', 'ioperm'),
  row('modify_ldt', { control: succeeds }),
  callNumber('x32 chmod', 0x40000000 + 90, 'ordinary kernels have no x32 table'),
  callNumber('x32 unlink', 0x40000000 + 87, 'ordinary kernels have no x32 table'),
  callNumber('an unreviewed number', 600, 'no kernel has it yet'),
  callNumber('number -1', -1, 'no kernel has it'),
]
