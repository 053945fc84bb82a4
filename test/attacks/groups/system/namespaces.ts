import { type Attack, attack, by, type Choices, each, neverUnsandboxed, succeeds } from '../../attack.ts'
import { capability, root, succeedsWith } from '../../needs.ts'
import { mountPoints } from '../../targets/host.ts'
import { victim } from '../../targets/victim.ts'

const places = mountPoints(false)
const mounted = mountPoints(true)
const admin = [capability('CAP_SYS_ADMIN')]
const succeedsAsAdmin = { control: { kind: 'success', needs: admin } } as const
const changesAsAdmin = { control: { kind: 'change', needs: admin } } as const

/** Every user may make these where user namespaces are allowed: user_namespaces(7). */
const userNamespace = {
  control: {
    kind: 'success',
    hostMayRefuse: { EPERM: 'user namespaces are restricted', ENOSPC: 'user.max_user_namespaces is 0' },
  },
} as const

/** include/uapi/linux/sched.h */
const flags = {
  NEWTIME: 0x80,
  NEWNS: 0x20000,
  NEWCGROUP: 0x2000000,
  NEWUTS: 0x4000000,
  NEWIPC: 0x8000000,
  NEWUSER: 0x10000000,
  NEWPID: 0x20000000,
  NEWNET: 0x40000000,
} as const

type Flag = keyof typeof flags

const choicesOf = (flag: Flag) => (flag === 'NEWUSER' ? userNamespace : succeedsAsAdmin)

const enter = (attempt: string, flag: Flag) =>
  attack(`${attempt} ${flag}`, by('namespaces', attempt, String(flags[flag])), places, choicesOf(flag))

const namespacesOfOwn: readonly Attack[] = [
  ...(Object.keys(flags) as Flag[]).map((flag) => enter('unshare', flag)),
  ...each(enter, 'clone | clone3', 'NEWUSER'),
  enter('clone', 'NEWNS'),
  enter('clone', 'NEWNET'),
  attack('clone3 without a flag', by('namespaces', 'clone3', '0'), places, { control: succeeds }),
  attack('setns', by('namespaces', 'setns', '/proc/self/ns/uts'), places, succeedsAsAdmin),
  attack('setns to another process', by('namespaces', 'setns pidfd', '{pid}'), victim, succeedsAsAdmin),
]

const mount = (attempt: string, words: readonly string[], choices: Choices) =>
  attack(attempt, by('namespaces', attempt, ...words), places, choices)

const onMount = (attempt: string) =>
  attack(attempt, by('namespaces', attempt, '{place}'), mounted, {
    ...changesAsAdmin,
    needs: [root, ...admin],
  })

const onNothing = (attempt: string) =>
  mount(attempt, ['{place}'], {
    control: neverUnsandboxed('on nothing the kernel says something else', 'EPERM'),
  })

const mounts: readonly Attack[] = [
  ...each(mount, 'mount | fsmount', ['{place}'], changesAsAdmin),
  ...each(mount, 'mount MS_BIND | move_mount', ['{place}', '{source}'], changesAsAdmin),
  ...each(onMount, 'mount MS_REMOUNT | umount2 | mount_setattr'),
  ...each(mount, 'open_tree | open_tree_attr', ['{place}'], succeedsAsAdmin),
  ...each(mount, 'fsopen | fspick', [], succeedsAsAdmin),
  mount('chroot', ['{place}'], succeedsWith('CAP_SYS_CHROOT')),
  ...each(onNothing, 'pivot_root | fsconfig on nothing | fsmount on nothing | move_mount on nothing'),
]

/** Namespaces, mounts, another root: everything that would show the command another system. */
export const namespaces: readonly Attack[] = [...namespacesOfOwn, ...mounts]
