import { type Attack, attack, by, each, neverUnsandboxed, succeeds } from '../../attack.ts'
import { ordinaryUser, plainCoreFiles, present, succeedsWith } from '../../needs.ts'
import { files } from '../../targets/files.ts'
import { survivors } from '../../targets/host.ts'

/** The calls may succeed: what counts is that no process is left when the result is there. */
const swept = { expect: { kind: 'harmless', reason: 'what the command started ends with it' } } as const

const outlives = (attempt: string) => attack(attempt, by('escape', attempt, '{token}'), survivors, swept)

const needsAdmin = succeedsWith('CAP_SYS_ADMIN')

/** Outliving the command, leaving a file behind by dying, and shaking the confinement off. */
export const escapes: readonly Attack[] = [
  ...each(
    outlives,
    `
    background | background with the pipes | setsid | double fork | setpgid | no PDEATHSIG |
    ignores every signal | stopped | own reaper | comet | unreadable
  `,
  ),
  attack('CLONE_PARENT', by('escape', 'CLONE_PARENT', '{token}'), survivors, { control: succeeds }),
  attack('core dump', by('escape', 'core dump'), files, {
    expect: { kind: 'harmless', reason: 'the process may crash, but leaves no core file' },
    control: { kind: 'change', needs: [plainCoreFiles] },
  }),
  attack('a filter that allows all', by('privileges', 'a filter that allows all', '{file}'), files),
  attack('a listener that says continue', by('privileges', 'a listener that says continue', '{file}'), files),
  attack('a filter that asks a tracer', by('privileges', 'a filter that asks a tracer', '{file}'), files, {
    control: neverUnsandboxed(
      'the kernel takes such a filter, and without a tracer answers ENOSYS',
      'EINVAL',
    ),
  }),
  attack('clear no_new_privs', by('privileges', 'clear no_new_privs'), files, { control: succeeds }),
  attack('a capability after exec', by('privileges', 'a capability after exec'), files, needsAdmin),
  attack('set-user-ID program', by('privileges', 'set-user-ID program', '/bin/su'), files, {
    needs: [ordinaryUser, present('/bin/su')],
    control: { kind: 'success', hostMayRefuse: { EPERM: 'this host has su without its bit' } },
  }),
  attack('capset', by('privileges', 'capset'), files, needsAdmin),
  attack('ambient capability', by('privileges', 'ambient capability'), files, {
    control: neverUnsandboxed('it needs an inheritable set, which even root has empty', 'EPERM'),
  }),
]
