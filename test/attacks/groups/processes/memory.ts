import { type Attack, attack, by } from '../../attack.ts'
import { files } from '../../targets/files.ts'

type Choices = Parameters<typeof attack>[3]

const row = (attempt: string, choices: Choices = {}) =>
  attack(attempt, by('memory', attempt, '{file}'), files, choices)

const readOnly: Choices = {
  expect: { kind: 'harmless', reason: 'what is mapped for reading is not written' },
}

/** Where a path lies, and what the kernel writes to memory on its own. */
export const memory: readonly Attack[] = [
  row('path at the end of what is mapped'),
  row('path of PATH_MAX'),
  row('path in a file'),
  row('path in memory without reading'),
  row('set_tid_address', readOnly),
  row('set_robust_list', readOnly),
  row('FUTEX_WAKE_OP', readOnly),
  row('read into a mapping', readOnly),
  row('process_vm_writev to itself'),
  row('/proc/self/mem'),
  row('mprotect'),
  row('MADV_REMOVE'),
]
