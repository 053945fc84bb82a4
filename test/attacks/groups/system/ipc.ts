import { type Attack, attack, by, succeeds } from '../../attack.ts'
import { filledQueue, posixQueue, sharedFile, systemV, userKey } from '../../targets/ipc.ts'

type Kind = Parameters<typeof systemV>[0]

const fresh = (attempt: string, kind: Kind) =>
  attack(attempt, by('ipc', attempt, '{key}'), systemV(kind, false))
const held = (attempt: string, kind: Kind) =>
  attack(attempt, by('ipc', attempt, '{key}', '{id}'), systemV(kind, true))
const queue = (attempt: string, exists: boolean) =>
  attack(attempt, by('ipc', attempt, '{name}'), posixQueue(exists))

/** System V and POSIX IPC: new objects, and those of other processes. */
export const ipc: readonly Attack[] = [
  fresh('shmget', 'shm'),
  held('shmat and write', 'shm'),
  held('shmat by id', 'shm'),
  held('shmctl IPC_RMID', 'shm'),
  fresh('semget', 'sem'),
  held('semop', 'sem'),
  held('semtimedop', 'sem'),
  held('semctl SETVAL', 'sem'),
  held('semctl IPC_RMID', 'sem'),
  fresh('msgget', 'msg'),
  held('msgsnd', 'msg'),
  attack('msgrcv', by('ipc', 'msgrcv', '{key}', '{id}'), filledQueue),
  held('msgctl IPC_RMID', 'msg'),
  queue('mq_open', false),
  queue('mq_timedsend', true),
  queue('mq_unlink', true),
  attack('shm_open', by('ipc', 'shm_open', '{name}'), sharedFile),
]

const key = (attempt: string, choices: Parameters<typeof attack>[3] = {}) =>
  attack(attempt, by('keys', attempt, '{name}', '{id}'), userKey(true), {
    control: { kind: 'change', hostMayRefuse: { EACCES: "the user's ring is not reached by the session's" } },
    ...choices,
  })

/** The kernel's key rings. */
export const keys: readonly Attack[] = [
  attack('add_key', by('keys', 'add_key', '{name}'), userKey(false)),
  attack('add_key of a ring', by('keys', 'add_key keyring', '{name}'), userKey(false)),
  key('request_key', { control: { kind: 'success', hostMayRefuse: { ENOKEY: 'the ring is not searched' } } }),
  key('KEYCTL_UPDATE'),
  key('KEYCTL_UNLINK'),
  key('KEYCTL_REVOKE'),
  key('KEYCTL_SETPERM'),
  key('KEYCTL_JOIN_SESSION_KEYRING', { control: succeeds }),
]
