import { rmSync, writeFileSync } from 'node:fs'
import { onTestFinished } from 'vitest'
import { endAll, isLocked, makeMarker, survivors, waitFor } from '../../helpers/processes.ts'
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

/** A marker for one test, after which everything that carries it is cleared up. */
export function clearedMarker(programs: Programs): string {
  const marker = makeMarker()
  onTestFinished(() => clearUp(programs, marker))
  return marker
}

/** A way for a process to outlive its command. Every line prints `started` once it is in place. */
export interface Escape {
  readonly name: string
  /** A line whose leader ends by itself and leaves others behind; absent where none are left then. */
  readonly leaves?: (programs: Programs, marker: string) => string
  /** A line that does not end by itself. */
  readonly stays: (programs: Programs, marker: string) => string
}

type Line = (programs: Programs, marker: string) => string

/** A program of ours that ends by itself, or does not. */
function program(name: string, line: (programs: Programs, how: 'exit' | 'stay') => string): Escape {
  return {
    name,
    leaves: (programs, marker) => `${line(programs, 'exit')} ${marker}`,
    stays: (programs, marker) => `${line(programs, 'stay')} ${marker}`,
  }
}

/** What a shell starts, before it ends or goes on itself. */
function child(name: string, leaves: Line): Escape {
  return { name, leaves, stays: (programs, marker) => `${leaves(programs, marker)}; sleep ${marker}` }
}

const deserter = (name: string, kind: string) =>
  child(name, ({ deserter }, marker) => `${deserter} ${kind} ${marker}`)

/** Every way that the tests try. */
export const escapes: readonly Escape[] = [
  program('a daemon (fork, setsid, fork), deaf to SIGTERM', ({ daemon }, how) => `${daemon} 1 ${how}`),
  program('100 daemons', ({ daemon }, how) => `${daemon} 100 ${how}`),
  program('a fork bomb of 200 processes in sessions of their own', ({ bomb }, how) => `${bomb} 200 ${how}`),
  program('a comet (fork, exec, exit, without end)', ({ comet }, how) => `${comet} ${how}`),
  child('a plain double fork', (_, marker) => `(sleep ${marker} >/dev/null 2>&1 &); echo started`),
  child('nohup', (_, marker) => `nohup sleep ${marker} >/dev/null 2>&1 & echo started`),
  child('setsid(1)', (_, marker) => `setsid sleep ${marker} >/dev/null 2>&1 & echo started; sleep 0.05`),
  child('a child that holds the pipes', (_, marker) => `sleep ${marker} & echo started`),
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
