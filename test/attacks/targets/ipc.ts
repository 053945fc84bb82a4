import { existsSync, readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Arrange, Outside, Target } from '../attack.ts'
import { runOutside } from './helper.ts'

type SystemV = 'shm' | 'sem' | 'msg'

/** The columns of /proc/sysvipc/* that an attack would change: sysvipc(7). The others tell who looked last, and when. */
const columns: Readonly<Record<SystemV, number>> = { shm: 4, sem: 4, msg: 5 }

/** A free key: System V objects are known by 31 bits, not by a path. */
function freeKey(): number {
  const key = 1 + Math.floor(Math.random() * 0x7ffffffe)
  const taken = (['shm', 'sem', 'msg'] as const).some((kind) => rowOf(kind, key).length > 0)
  return taken ? freeKey() : key
}

/** The line of that key in /proc/sysvipc; empty when there is none. */
function rowOf(kind: SystemV, key: number): readonly string[] {
  const path = `/proc/sysvipc/${kind}`
  if (!existsSync(path)) return []
  const rows = readFileSync(path, 'utf8').split('\n')
  return rows.map((row) => row.trim().split(/\s+/)).find((row) => Number(row[0]) === key) ?? []
}

/** A System V segment, semaphore or queue of the test's own, or with `exists` false only a key that is free. */
export function systemV(kind: SystemV, exists: boolean): Arrange {
  return (outside): Target => {
    const key = freeKey()
    const call = (attempt: string, ...words: readonly string[]) =>
      runOutside(outside.programs.ipc, [attempt, String(key), ...words])
    const id = () => rowOf(kind, key)[1] ?? '-1'
    if (exists) call(`${kind}get`)
    return {
      offers: { directory: outside.directory, key: String(key), id: id() },
      observe: () => ({ row: rowOf(kind, key).slice(0, columns[kind]), held: call(`show ${kind}`, id()) }),
      dispose: () => void call(`${kind}ctl IPC_RMID`, id()),
    }
  }
}

/** The same queue with a message in it. */
export const filledQueue: Arrange = async (outside): Promise<Target> => {
  const target = await systemV('msg', true)(outside)
  const { key = '', id = '' } = target.offers
  runOutside(outside.programs.ipc, ['msgsnd', key, id])
  return target
}

/** A POSIX message queue of the test's own, or a name that is free. */
export function posixQueue(exists: boolean): Arrange {
  return (outside): Target => {
    const name = basename(outside.directory)
    const call = (attempt: string) => runOutside(outside.programs.ipc, [attempt, name])
    if (exists) call('mq_open')
    return {
      offers: { directory: outside.directory, name },
      observe: () => call('show mq'),
      dispose: () => void call('mq_unlink'),
    }
  }
}

/** A name in /dev/shm that is free. */
export const sharedFile: Arrange = (outside): Target => {
  const name = basename(outside.directory)
  const path = join('/dev/shm', name)
  return {
    offers: { directory: outside.directory, name, path },
    observe: () => existsSync(path),
    dispose: () => rmSync(path, { force: true }),
  }
}

function keyNumber(shown: string): string {
  return /^key: (\d+)/m.exec(shown)?.[1] ?? '0'
}

/** A key in the user's ring, or a description that is free. */
export function userKey(exists: boolean): Arrange {
  return (outside: Outside): Target => {
    const name = basename(outside.directory)
    const call = (attempt: string, ...words: readonly string[]) =>
      runOutside(outside.programs.keys, [attempt, name, ...words])
    if (exists) call('add_key')
    const id = keyNumber(call('show'))
    return {
      offers: { directory: outside.directory, name, id },
      observe: () => call('show'),
      dispose: () => {
        // A revoked key is found by its number only, a new one by its name only.
        for (const number of [id, keyNumber(call('show'))]) call('KEYCTL_UNLINK', number)
      },
    }
  }
}
