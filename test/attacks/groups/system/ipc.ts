import { type Attack, attack, by, type Choices, each, succeeds } from '../../attack.ts'
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
  ...each(held, 'shmat and write | shmat by id | shmctl IPC_RMID', 'shm'),
  fresh('semget', 'sem'),
  ...each(held, 'semop | semtimedop | semctl SETVAL | semctl IPC_RMID', 'sem'),
  fresh('msgget', 'msg'),
  ...each(held, 'msgsnd | msgctl IPC_RMID', 'msg'),
  attack('msgrcv', by('ipc', 'msgrcv', '{key}', '{id}'), filledQueue),
  queue('mq_open', false),
  ...each(queue, 'mq_timedsend | mq_unlink', true),
  attack('shm_open', by('ipc', 'shm_open', '{name}'), sharedFile),
]

const key = (attempt: string, choices: Choices = {}) =>
  attack(attempt, by('keys', attempt, '{name}', '{id}'), userKey(true), {
    control: { kind: 'change', hostMayRefuse: { EACCES: "the user's ring is not reached by the session's" } },
    ...choices,
  })

/** The kernel's key rings. */
export const keys: readonly Attack[] = [
  attack('add_key', by('keys', 'add_key', '{name}'), userKey(false)),
  attack('add_key of a ring', by('keys', 'add_key keyring', '{name}'), userKey(false)),
  key('request_key', { control: { kind: 'success', hostMayRefuse: { ENOKEY: 'the ring is not searched' } } }),
  ...each(key, 'KEYCTL_UPDATE | KEYCTL_UNLINK | KEYCTL_REVOKE | KEYCTL_SETPERM'),
  key('KEYCTL_JOIN_SESSION_KEYRING', { control: succeeds }),
]
