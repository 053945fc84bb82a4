import { rmSync, writeFileSync } from 'node:fs'
import { endAll, isLocked, survivors, waitFor } from '../../helpers/processes.ts'
import { compileFixture } from '../../helpers/programs.ts'

const names = ['daemon', 'bomb', 'comet', 'headless', 'deserter'] as const

/** The fixture programs, by name. */
export type Programs = Readonly<Record<(typeof names)[number], string>>

/** Compiles test/fixtures/processes. */
export function compilePrograms(): Programs {
  return Object.fromEntries(names.map((name) => [name, compileFixture(name)])) as Programs
}

/** Waits until everything with the marker has ended; returns what is left when patience ends, by process id or name. */
export async function leftOf(programs: Programs, marker: string): Promise<(number | string)[]> {
  const comet = (await waitFor(() => !isLocked(programs.comet))) ? [] : ['comet']
  return [...comet, ...(await survivors(marker))]
}

/** Clears up after a test: kills what carries the marker, and lets a comet land. */
export async function clearUp(programs: Programs, marker: string): Promise<void> {
  const land = `${programs.comet}.land`
  writeFileSync(land, '')
  await waitFor(() => !isLocked(programs.comet))
  rmSync(land, { force: true })
  await endAll(marker)
}

/** A way for a process to outlive its command. Every line prints `started` once it is in place. */
export interface Escape {
  readonly name: string
  /** A line whose leader ends by itself and leaves others behind; absent where none are left then. */
  readonly leaves?: (programs: Programs, marker: string) => string
  /** A line that does not end by itself. */
  readonly stays: (programs: Programs, marker: string) => string
}

function deserter(name: string, kind: string): Escape {
  return {
    name,
    leaves: ({ deserter }, marker) => `${deserter} ${kind} ${marker}`,
    stays: ({ deserter }, marker) => `${deserter} ${kind} ${marker}; sleep ${marker}`,
  }
}

/** Every way that the tests try. */
export const escapes: readonly Escape[] = [
  {
    name: 'a daemon (fork, setsid, fork), deaf to SIGTERM',
    leaves: ({ daemon }, marker) => `${daemon} 1 exit ${marker}`,
    stays: ({ daemon }, marker) => `${daemon} 1 stay ${marker}`,
  },
  {
    name: '100 daemons',
    leaves: ({ daemon }, marker) => `${daemon} 100 exit ${marker}`,
    stays: ({ daemon }, marker) => `${daemon} 100 stay ${marker}`,
  },
  {
    name: 'a plain double fork',
    leaves: (_, marker) => `(sleep ${marker} >/dev/null 2>&1 &); echo started`,
    stays: (_, marker) => `(sleep ${marker} >/dev/null 2>&1 &); echo started; sleep ${marker}`,
  },
  {
    name: 'nohup',
    leaves: (_, marker) => `nohup sleep ${marker} >/dev/null 2>&1 & echo started`,
    stays: (_, marker) => `nohup sleep ${marker} >/dev/null 2>&1 & echo started; sleep ${marker}`,
  },
  {
    name: 'setsid(1)',
    leaves: (_, marker) => `setsid sleep ${marker} >/dev/null 2>&1 & echo started; sleep 0.05`,
    stays: (_, marker) => `setsid sleep ${marker} >/dev/null 2>&1 & echo started; sleep ${marker}`,
  },
  {
    name: 'a fork bomb of 200 processes in sessions of their own',
    leaves: ({ bomb }, marker) => `${bomb} 200 exit ${marker}`,
    stays: ({ bomb }, marker) => `${bomb} 200 stay ${marker}`,
  },
  {
    name: 'a comet (fork, exec, exit, without end)',
    leaves: ({ comet }, marker) => `${comet} exit ${marker}`,
    stays: ({ comet }, marker) => `${comet} stay ${marker}`,
  },
  {
    name: 'a zombie leader whose other thread runs',
    stays: ({ headless }, marker) => `exec ${headless} ${marker}`,
  },
  {
    name: 'a leader that ignores SIGTERM',
    stays: (_, marker) => `trap '' TERM INT HUP; echo started; sleep ${marker}; sleep ${marker}`,
  },
  {
    name: 'a group that has stopped itself',
    stays: (_, marker) => `sleep ${marker} & echo started; kill -STOP 0`,
  },
  {
    name: 'a child that holds the pipes',
    leaves: (_, marker) => `sleep ${marker} & echo started`,
    stays: (_, marker) => `sleep ${marker} & echo started; wait`,
  },
  {
    name: 'a child that never stops writing',
    leaves: (_, marker) => `yes ${marker} & echo started`,
    // Not yes(1): it would reach the output limit before the deadline.
    stays: (_, marker) => `echo started; (while :; do echo ${marker}; done) & wait`,
  },
  deserter('a child deaf to SIGTERM', 'deaf'),
  deserter('a child that has stopped', 'stopped'),
  deserter('a child that closed its streams', 'closed-streams'),
  deserter('a child in a group of its own', 'own-group'),
  deserter('a child that clears its parent-death signal', 'no-parent-death'),
]
