import { type Attack, attack, by, type Choices, each } from '../../attack.ts'
import { files } from '../../targets/files.ts'

const row = (attempt: string, choices: Choices = {}) =>
  attack(attempt, by('memory', attempt, '{file}'), files, choices)

const readOnly: Choices = {
  expect: { kind: 'harmless', reason: 'what is mapped for reading is not written' },
}

/** Where a path lies, and what the kernel writes to memory on its own. */
export const memory: readonly Attack[] = [
  ...each(
    row,
    `
    path at the end of what is mapped | path of PATH_MAX | path in a file |
    path in memory without reading | process_vm_writev to itself | /proc/self/mem | mprotect |
    MADV_REMOVE
  `,
  ),
  ...each(row, 'set_tid_address | set_robust_list | FUTEX_WAKE_OP | read into a mapping', readOnly),
]
