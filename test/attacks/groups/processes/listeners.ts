import { type Attack, attack, by, type Choices, each, neverUnsandboxed, succeeds } from '../../attack.ts'
import { noYama } from '../../needs.ts'
import { files } from '../../targets/files.ts'

const row = (attempt: string, choices: Choices = {}) =>
  attack(attempt, by('listeners', attempt, '{file}'), files, choices)

const onHost: Choices = { control: { kind: 'success', needs: [noYama] } }

/** Answering intercepted calls oneself, or taking over the process that does: seccomp_unotify(2). */
export const listeners: readonly Attack[] = [
  row('for all threads', { control: succeeds }),
  row('says done', {
    control: succeeds,
    expect: {
      kind: 'harmless',
      reason: 'a filter of its own can lie to the command, and to no other process',
    },
  }),
  row('asks no listener', {
    control: neverUnsandboxed('without a listener the kernel answers for it', 'ENOSYS'),
  }),
  row('guessed descriptors', {
    control: neverUnsandboxed('it is nothing but a search for a listener', 'ENOTTY'),
  }),
  row('adds a descriptor', {
    control: neverUnsandboxed('it is nothing but a search for a listener', 'ENOTTY'),
  }),
  row("opens the host's", onHost),
  row("takes the host's", onHost),
  row('namespace of the host', { control: { kind: 'success', needs: [noYama] } }),
  row('syscall user dispatch', {
    control: { kind: 'change', hostMayRefuse: { EINVAL: 'this kernel has none on this processor' } },
  }),
  ...each(row, 'another personality | names a tracer | from a thread'),
]
