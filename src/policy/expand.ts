import {
  type Feature,
  knownValue,
  type ParsedLine,
  type SimpleCommand,
  type Unsure,
  type Word,
} from './line.ts'
import { parseLine } from './parse.ts'
import { unwrap, type Wrapped } from './wrappers.ts'

const maxDepth = 6

export interface Step {
  readonly command: SimpleCommand
  readonly wrapped?: Wrapped
}

/** Includes commands started by wrappers such as `sudo`, `xargs` and `sh -c`. */
export interface Expanded {
  readonly steps: readonly Step[]
  readonly features: ReadonlySet<Feature>
  readonly unsure: readonly Unsure[]
  readonly forkBombs: readonly string[]
}

/** Follows wrappers and scripts passed as words. */
export function expand(line: ParsedLine): Expanded {
  const found: Found = {
    steps: [],
    features: new Set(line.features),
    unsure: [...line.unsure],
    forkBombs: [...line.forkBombs],
  }
  for (const command of line.commands) follow(command, found, 0)
  return found
}

interface Found {
  readonly steps: Step[]
  readonly features: Set<Feature>
  readonly unsure: Unsure[]
  readonly forkBombs: string[]
}

function follow(command: SimpleCommand, found: Found, depth: number): void {
  const wrapped = unwrap(command)
  found.steps.push({ command, ...(wrapped ? { wrapped } : {}) })
  if (!wrapped) return
  if (depth === maxDepth) {
    found.unsure.push({ kind: 'nesting', text: command.text })
    return
  }
  for (const inner of wrapped.inner) follow(inner, found, depth + 1)
  for (const script of wrapped.scripts) followScript(script, command, found, depth)
}

function followScript(script: Word, { text, chain }: SimpleCommand, found: Found, depth: number): void {
  const source = knownValue(script)
  if (source === undefined) {
    found.unsure.push({ kind: 'dynamic-script', text })
    return
  }
  const line = parseLine(source)
  found.unsure.push(...line.unsure)
  found.forkBombs.push(...line.forkBombs)
  for (const feature of line.features) found.features.add(feature)
  for (const command of line.commands) follow({ ...command, chain, required: false }, found, depth + 1)
}
