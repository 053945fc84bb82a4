import { defineKey, integer, maxBytes, maxMs, maxProcesses, minOrNone } from '../field.ts'

// What systemd raises sysctl fs.nr_open to: half of the kernel's bound (fs/file.c, sysctl_nr_open_max).
const maxOpenFiles = 1_073_741_816

export const limitKeys = {
  memory_bytes: defineKey('Memory of a command, in bytes.', () => integer(0, maxBytes), 0, minOrNone),
  cpu_seconds: defineKey('CPU time of a command, in seconds.', () => integer(0, maxMs), 0, minOrNone),
  processes: defineKey(
    'Processes of a command at the same time.',
    () => integer(0, maxProcesses),
    0,
    minOrNone,
  ),
  open_files: defineKey('Open files of each process.', () => integer(0, maxOpenFiles), 0, minOrNone),
  private_tmp_bytes: defineKey(
    'Size of the private TMPDIR, in bytes.',
    () => integer(0, maxBytes),
    1_073_741_824,
    minOrNone,
  ),
} as const
