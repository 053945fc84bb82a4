import { type Attack, attack, by, each } from '../../attack.ts'
import { files } from '../../targets/files.ts'
import { systemV } from '../../targets/ipc.ts'
import { listenerAtPath } from '../../targets/listener.ts'
import { victim } from '../../targets/victim.ts'

/** The filter ends a caller of another architecture's ABI: its numbers mean other calls. */
const killed = { expect: { kind: 'killed', signal: 'SIGSYS' } } as const

const row = (attempt: string, words: readonly string[], target = files) =>
  attack(attempt, by('i386', attempt, ...words), target, killed)

/** int 0x80 from a 64-bit program. */
export const i386: readonly Attack[] = [
  ...each(row, 'open O_CREAT | mkdir', ['{new}']),
  ...each(row, 'unlink | chmod | setxattr', ['{file}']),
  row('rename', ['{file}', '{new}']),
  row('kill', ['{pid}'], victim),
  row('shmget', ['{key}'], systemV('shm', false)),
  row('connect', ['{place}'], listenerAtPath('stream')),
]
