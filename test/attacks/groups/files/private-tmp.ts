import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Arrange,
  type Attack,
  attack,
  by,
  type Choices,
  type Control,
  type Expectation,
  each,
  succeeds,
} from '../../attack.ts'
import { capability } from '../../needs.ts'
import { files, lockable } from '../../targets/files.ts'
import { listenerAtPath } from '../../targets/listener.ts'

/** The same target, and beside it a directory to use where there is no private one: what happens in it is not observed. */
function withScratch(arrange: Arrange): Arrange {
  return async (outside) => {
    const target = await arrange(outside)
    const scratch = join(outside.directory, 'scratch')
    mkdirSync(scratch)
    return { ...target, offers: { ...target.offers, scratch } }
  }
}

const row = (attempt: string, aim: string, choices: Choices = {}, target: Arrange = files) =>
  attack(attempt, by('private_tmp', attempt, '{scratch}', aim), withScratch(target), {
    privateTmp: true,
    ...choices,
  })

const inside = (attempt: string, control: Control = succeeds) =>
  attack(attempt, by('private_tmp', attempt, '{scratch}'), withScratch(files), { privateTmp: true, control })

const raced: Expectation = { kind: 'harmless', reason: 'where it hits what is its own it succeeds' }

const race = (attempt: string, aim = '{file}') => row(attempt, aim, { expect: raced })

const byRoot = (name: Parameters<typeof capability>[0]): Control => ({
  kind: 'success',
  needs: [capability(name)],
})

/** Out of a private directory, which can be written to. */
export const privateTmp: readonly Attack[] = [
  ...each(
    row,
    `
    link in | link in by descriptor | rename in | exchange | dots | dots of descriptor | above |
    link open | link truncate | link chmod | link times | link setxattr | link proc | proc root | fchmod |
    futimens
    `,
    '{file}',
  ),
  ...each(row, 'link out | O_TMPFILE out | rename out', '{new}'),
  attack(
    'rename out over another file',
    by('private_tmp', 'rename out', '{scratch}', '{other}'),
    withScratch(files),
    {
      privateTmp: true,
    },
  ),
  row('directory in', '{empty}'),
  row('link chown', '{setuid}'),
  row('link directory', '{directory}'),
  ...each(inside, 'character device | block device', byRoot('CAP_MKNOD')),
  ...each(
    inside,
    `
    set-user-ID | set-group-ID | born set-user-ID | born set-user-ID by mknod | unnamed set-user-ID |
    inode flags | listen
  `,
  ),
  inside('give away', byRoot('CAP_CHOWN')),
  inside('file capability', byRoot('CAP_SETFCAP')),
  row('connect out', '{place}', {}, listenerAtPath('stream')),
  ...each(race, 'race chmod | race times | race open | race setxattr | race fchmod | race futimens'),
  race('race chown', '{setuid}'),
  race('race directory', '{directory}'),
  attack(
    'race flock',
    by('private_tmp', 'race flock', '{scratch}', '{file}', '{release}'),
    withScratch(lockable),
    {
      privateTmp: true,
      expect: raced,
    },
  ),
]
