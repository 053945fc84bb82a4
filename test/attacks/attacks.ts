import type { Attack } from './attack.ts'
import { data, fds, locks, metadata, paths, privateTmp } from './groups/files.ts'
import { escapes, listeners, memory, processes, signals, supervisor, tty } from './groups/processes.ts'
import { scripts } from './groups/scripts.ts'
import { sockets } from './groups/sockets.ts'
import { i386, ioctl, ipc, keys, namespaces, shared, system, uring } from './groups/system.ts'

/** Every attempt to change something outside, by what it aims at. */
export const attacks: Readonly<Record<string, readonly Attack[]>> = {
  data,
  paths,
  metadata,
  ioctl,
  locks,
  signals,
  processes,
  escapes,
  tty,
  fds,
  sockets,
  uring,
  ipc,
  keys,
  namespaces,
  system,
  i386,
  scripts,
  supervisor,
  listeners,
  memory,
  privateTmp,
  shared,
}

/** An attack and its full name. */
export interface Row {
  readonly name: string
  readonly attack: Attack
}

/** The whole table. */
export function everyAttack(): Row[] {
  return Object.entries(attacks).flatMap(([group, rows]) =>
    rows.map((row) => ({ name: `${group}: ${row.name}`, attack: row })),
  )
}

/** What `npm test` tries: every fourth row of each group, without those that make a call thousands of times. */
export function isQuick({ name, attack }: Row): boolean {
  const repeats = /\b(race|flood)\b/.test(name)
  return !repeats && Object.values(attacks).some((rows) => rows.indexOf(attack) % 4 === 0)
}
