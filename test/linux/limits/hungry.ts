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

const over = (limit: 'memory' | 'cpu' | 'processes', value: number) => {
  const keys = { memory: 'memory_bytes', cpu: 'cpu_seconds', processes: 'processes' } as const
  return (name: string, line: Excess['line']): Excess => ({ name, limit, key: keys[limit], value, line })
}

const memory = over('memory', 100 * mebibyte)
const time = over('cpu', 1)
const processes = over('processes', 20)

export const excesses: readonly Excess[] = [
  memory('memory, filled as fast as it goes, deaf to SIGTERM', of('memory', 1500)),
  memory('memory, each of eight children a part of it', of('unshared', 25)),
  memory('memory, in a file in memory that is not mapped', of('memfd', 1000)),
  over('memory', 1)('memory, where not even a shell has room', () => 'true'),
  time('CPU time, in a loop, deaf to SIGTERM', of('spin', 0)),
  time('CPU time, in short children that are waited for', of('children', 0)),
  time('CPU time, in a row of processes that are not waited for', of('row', 0)),
  processes('processes, in a bomb, each deaf and in a group of its own', of('bomb', 1500)),
  processes('processes, one too many', of('processes', 21)),
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
