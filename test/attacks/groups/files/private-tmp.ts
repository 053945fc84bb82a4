import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Arrange,
  type Attack,
  attack,
  by,
  type Control,
  type Expectation,
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

type Choices = Parameters<typeof attack>[3]

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
  row('link in', '{file}'),
  row('link in by descriptor', '{file}'),
  row('link out', '{new}'),
  row('O_TMPFILE out', '{new}'),
  row('rename in', '{file}'),
  row('rename out', '{new}'),
  attack(
    'rename out over another file',
    by('private_tmp', 'rename out', '{scratch}', '{other}'),
    withScratch(files),
    {
      privateTmp: true,
    },
  ),
  row('exchange', '{file}'),
  row('directory in', '{empty}'),
  row('dots', '{file}'),
  row('dots of descriptor', '{file}'),
  row('above', '{file}'),
  row('link open', '{file}'),
  row('link truncate', '{file}'),
  row('link chmod', '{file}'),
  row('link times', '{file}'),
  row('link chown', '{setuid}'),
  row('link setxattr', '{file}'),
  row('link directory', '{directory}'),
  row('link proc', '{file}'),
  row('proc root', '{file}'),
  row('fchmod', '{file}'),
  row('futimens', '{file}'),
  inside('character device', byRoot('CAP_MKNOD')),
  inside('block device', byRoot('CAP_MKNOD')),
  inside('set-user-ID'),
  inside('set-group-ID'),
  inside('born set-user-ID'),
  inside('born set-user-ID by mknod'),
  inside('unnamed set-user-ID'),
  inside('give away', byRoot('CAP_CHOWN')),
  inside('file capability', byRoot('CAP_SETFCAP')),
  inside('inode flags'),
  inside('listen'),
  row('connect out', '{place}', {}, listenerAtPath('stream')),
  race('race chmod'),
  race('race times'),
  race('race chown', '{setuid}'),
  race('race open'),
  race('race setxattr'),
  race('race fchmod'),
  race('race futimens'),
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
