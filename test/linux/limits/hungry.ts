import { chmodSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Limit } from '../../../src/base/types.ts'
import { compileFixture } from '../../helpers/programs.ts'

const mebibyte = 1024 * 1024

/** Compiles the program that uses things up; an ordinary user may run it. */
export function compileHungry(): string {
  const program = compileFixture('hungry')
  chmodSync(dirname(program), 0o755)
  return program
}

/** A line that goes over a limit. */
interface Excess {
  readonly name: string
  readonly limit: Limit
  /** The key of `[limits]`, and its value. */
  readonly key: 'memory_bytes' | 'cpu_seconds' | 'processes'
  readonly value: number
  /** Where nothing stopped it, it would end by itself. */
  readonly line: (hungry: string, marker: string) => string
}

const of = (what: string, size: number) => (hungry: string, marker: string) =>
  `exec ${hungry} ${what} ${size} ${marker}`

export const excesses: readonly Excess[] = [
  {
    name: 'memory, filled as fast as it goes, deaf to SIGTERM',
    limit: 'memory',
    key: 'memory_bytes',
    value: 100 * mebibyte,
    line: of('memory', 1500),
  },
  {
    name: 'memory, each of eight children a part of it',
    limit: 'memory',
    key: 'memory_bytes',
    value: 100 * mebibyte,
    line: of('unshared', 25),
  },
  {
    name: 'memory, in a file in memory that is not mapped',
    limit: 'memory',
    key: 'memory_bytes',
    value: 100 * mebibyte,
    line: of('memfd', 1000),
  },
  {
    name: 'memory, where not even a shell has room',
    limit: 'memory',
    key: 'memory_bytes',
    value: 1,
    line: () => 'true',
  },
  {
    name: 'CPU time, in a loop, deaf to SIGTERM',
    limit: 'cpu',
    key: 'cpu_seconds',
    value: 1,
    line: of('spin', 0),
  },
  {
    name: 'CPU time, in short children that are waited for',
    limit: 'cpu',
    key: 'cpu_seconds',
    value: 1,
    line: of('children', 0),
  },
  {
    name: 'CPU time, in a row of processes that are not waited for',
    limit: 'cpu',
    key: 'cpu_seconds',
    value: 1,
    line: of('row', 0),
  },
  {
    name: 'processes, in a bomb, each deaf and in a group of its own',
    limit: 'processes',
    key: 'processes',
    value: 20,
    line: of('bomb', 1500),
  },
  {
    name: 'processes, one too many',
    limit: 'processes',
    key: 'processes',
    value: 20,
    line: of('processes', 21),
  },
]

/** A line that stays below its limits, whatever a careless count would make of it. */
interface Spared {
  readonly name: string
  readonly toml: string
  readonly line: (hungry: string, marker: string) => string
}

export const spared: readonly Spared[] = [
  {
    name: 'memory that eight children share is there once',
    toml: `memory_bytes = ${100 * mebibyte}`,
    line: of('shared', 60),
  },
  {
    name: 'a shell with children of its own is small',
    toml: `memory_bytes = ${20 * mebibyte}`,
    line: () => 'for i in 1 2 3 4 5 6; do ls / | sort | tail -1 >/dev/null; done',
  },
  { name: 'as many processes as are allowed', toml: 'processes = 20', line: of('processes', 20) },
  {
    name: 'files that are read are not memory',
    toml: `memory_bytes = ${20 * mebibyte}`,
    line: () => `cat ${process.execPath} | wc -c >/dev/null; sleep 0.1`,
  },
  {
    name: 'all limits at once, far away',
    toml: `memory_bytes = ${1024 * mebibyte}\ncpu_seconds = 60\nprocesses = 200\nopen_files = 256`,
    line: () => 'ls -R /usr/include | sort | uniq | wc -l | grep -c . >/dev/null',
  },
]
