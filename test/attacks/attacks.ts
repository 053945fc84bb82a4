import type { Attack } from './attack.ts'
import { data } from './groups/files/data.ts'
import { fds } from './groups/files/fds.ts'
import { locks } from './groups/files/locks.ts'
import { metadata } from './groups/files/metadata.ts'
import { paths } from './groups/files/paths.ts'
import { privateTmp } from './groups/files/private-tmp.ts'
import { escapes } from './groups/processes/escape.ts'
import { listeners } from './groups/processes/listeners.ts'
import { memory } from './groups/processes/memory.ts'
import { processes } from './groups/processes/processes.ts'
import { scripts } from './groups/processes/scripts.ts'
import { signals } from './groups/processes/signals.ts'
import { supervisor } from './groups/processes/supervisor.ts'
import { tty } from './groups/processes/tty.ts'
import { i386 } from './groups/system/i386.ts'
import { ioctl } from './groups/system/ioctl.ts'
import { ipc, keys } from './groups/system/ipc.ts'
import { namespaces } from './groups/system/namespaces.ts'
import { shared } from './groups/system/shared.ts'
import { sockets } from './groups/system/sockets.ts'
import { system } from './groups/system/system.ts'
import { uring } from './groups/system/uring.ts'

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
