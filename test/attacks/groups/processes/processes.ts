import { existsSync } from 'node:fs'
import { type Attack, attack, by, type Choices, each, neverUnsandboxed, succeeds } from '../../attack.ts'
import { capability, changesWith, noYama, present, succeedsWith } from '../../needs.ts'
import { victim } from '../../targets/victim.ts'

const row = (attempt: string, choices: Choices = {}) =>
  attack(attempt, by('processes', attempt, '{pid}', '{address}', '{descriptor}'), victim, choices)

const file = (name: string, word: string, choices: Choices = {}) =>
  attack(`/proc/PID/${name}`, by('data', 'write word', `{proc}/${name}`, word), victim, choices)

/** The same files of its own: what stands there is the kernel's, not memory of the process. */
const own = (name: string, word: string, choices: Choices = {}) =>
  attack(`/proc/self/${name}`, by('data', 'write word', `/proc/self/${name}`, word), victim, {
    control: succeeds,
    ...choices,
  })

/** The root of cgroup2, alone or beside the first version: cgroups(7). */
const hierarchies = ['/sys/fs/cgroup/cgroup.procs', '/sys/fs/cgroup/unified/cgroup.procs'] as const
const membership = hierarchies.find(existsSync) ?? hierarchies[0]

/** Another process: its memory, descriptors, limits and scheduling. */
export const processes: readonly Attack[] = [
  ...each(
    row,
    `
    PTRACE_ATTACH and POKEDATA | process_vm_writev | /proc/PID/mem | pidfd_getfd | prlimit64 |
    setpriority | setpriority group | ioprio_set | ioprio_set group | sched_setscheduler | sched_setattr |
    sched_setaffinity
  `,
  ),
  row('PTRACE_SEIZE', { control: succeeds }),
  row('PTRACE_TRACEME', { control: succeeds }),
  row('process_vm_readv', { control: succeeds }),
  row('memory of the host', { control: { kind: 'success', needs: [noYama] } }),
  row('environment of the host', { control: succeeds }),
  row('setpriority user', { control: neverUnsandboxed('it concerns every process of the user', 'EPERM') }),
  row('sched_setparam', { control: succeeds }),
  row('move_pages', { control: succeeds }),
  row('migrate_pages', {
    control: {
      kind: 'success',
      needs: [capability('CAP_SYS_NICE')],
      hostMayRefuse: { EINVAL: 'one memory node' },
    },
  }),
  row('process_madvise', succeedsWith('CAP_SYS_NICE')),
  row('process_mrelease', { control: neverUnsandboxed('it needs a process that is being killed', 'EPERM') }),
  row('kcmp', { control: succeeds }),
  row('PR_SCHED_CORE', {
    control: { kind: 'success', hostMayRefuse: { EINVAL: 'this kernel schedules no core groups' } },
  }),
  file('oom_score_adj', '500'),
  file('timerslack_ns', '77777', changesWith('CAP_SYS_NICE')),
  file('coredump_filter', '0x11'),
  file('clear_refs', '1', { control: succeeds }),
  own('oom_score_adj', '500'),
  own('coredump_filter', '0x11'),
  own('comm', 'spoofed'),
  own('clear_refs', '1'),
  own('timerslack_ns', '77777'),
  attack('cgroup.procs', by('data', 'write word', membership, '{pid}'), victim, {
    needs: [present(membership)],
    control: neverUnsandboxed('it would move a process out of its service', 'EACCES'),
  }),
]
