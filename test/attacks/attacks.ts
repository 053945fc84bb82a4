import type { Attack } from './attack.ts'
import { data } from './groups/data.ts'
import { escapes } from './groups/escape.ts'
import { fds } from './groups/fds.ts'
import { i386 } from './groups/i386.ts'
import { ioctl } from './groups/ioctl.ts'
import { ipc, keys } from './groups/ipc.ts'
import { listeners } from './groups/listeners.ts'
import { locks } from './groups/locks.ts'
import { memory } from './groups/memory.ts'
import { metadata } from './groups/metadata.ts'
import { namespaces } from './groups/namespaces.ts'
import { paths } from './groups/paths.ts'
import { privateTmp } from './groups/private-tmp.ts'
import { processes } from './groups/processes.ts'
import { scripts } from './groups/scripts.ts'
import { shared } from './groups/shared.ts'
import { signals } from './groups/signals.ts'
import { sockets } from './groups/sockets.ts'
import { supervisor } from './groups/supervisor.ts'
import { system } from './groups/system.ts'
import { tty } from './groups/tty.ts'
import { uring } from './groups/uring.ts'

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

/** The whole table, each row by its full name. */
export function everyAttack(): { readonly name: string; readonly attack: Attack }[] {
  return Object.entries(attacks).flatMap(([group, rows]) =>
    rows.map((row) => ({ name: `${group}: ${row.name}`, attack: row })),
  )
}
