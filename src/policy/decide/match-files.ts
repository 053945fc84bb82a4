import { posix } from 'node:path'
import { isBeneath } from '../../base/paths.ts'
import { words } from '../../base/text.ts'
import type { PolicyMatch } from '../../base/types.ts'
import {
  explainDevice,
  explainDisaster,
  explainLeaves,
  explainOutside,
  explainSystemPath,
  explainUnknownPath,
} from '../../messages/policy.ts'
import { nameOf } from '../command/program.ts'
import { removesTrees } from '../presets/deny.ts'
import { knownValue, type SimpleCommand } from '../syntax/line.ts'
import { denyList, type PolicyInput, policyMatch } from './input.ts'
import { destinations, leavesWorkspace, namedFiles, type PathUse, systemPathOf } from './paths.ts'
import type { PlannedStep } from './plan.ts'
import { windowsSystemPath } from './powershell.ts'

/** Checks named files: none may be vitrine's own, under `analysis` a system path, or leave the workspace. */
export function matchFiles(step: PlannedStep, given: PolicyInput, onlyReads: boolean): PolicyMatch[] {
  const own = onlyReads ? step.paths.filter(({ redirect }) => redirect) : step.paths
  return [
    ...own.flatMap((use) => matchOwnFiles(use, step, given)),
    ...(given.rules.preset === 'analysis' ? step.paths.flatMap((use) => matchSystem(use, step, given)) : []),
    ...(given.lenient ? [] : step.paths.flatMap((use) => matchDevice(use, step, given))),
    ...(bindsWorkspace(given) ? step.paths.flatMap((use) => matchWorkspace(use, step, given)) : []),
  ]
}

// git subcommands that name files but leave them unchanged.
const recording = new Set(['add', 'commit', 'diff', 'log', 'status'])

/** In workspace mode the operating system keeps them as they are. */
function matchOwnFiles(use: PathUse, step: PlannedStep, { request, facts }: PolicyInput): PolicyMatch[] {
  const { command } = step
  if (request.mode === 'workspace') return []
  const name = nameOf(knownValue(command.words[0]) ?? '')
  if (name === 'cd' || (name === 'git' && recording.has(command.words[1]?.value ?? ''))) return []
  const arrivals = isTarget(use, name, step) ? arrivingNames(command) : []
  const removes = (name === 'mv' && arrivals.length === 0) || (name === 'rm' && removesTrees(command.words))
  const leadsTo = destinations(use, facts) ?? asWritten(use)
  const changed = [
    ...leadsTo,
    ...leadsTo.flatMap((path) => arrivals.map((arrival) => posix.join(path, arrival))),
  ]
  const removed = removes ? (namedFiles(use, facts) ?? asWritten(use)) : []
  const touched = facts.ownPaths.some(
    (own) => changed.some((path) => isBeneath(path, own)) || removed.some((path) => isBeneath(own, path)),
  )
  if (!touched) return []
  return [
    policyMatch(command.text, 'changes-own-rules', denyList, 'deny', explainDisaster('changes-own-rules')),
  ]
}

// Programs whose last operand receives what the others name.
const copying = new Set(words('cp install ln mv rsync'))

/** Whether it is the last operand of such a program. `-t DIR` is no operand: `mv -t` counts as removing its directory. */
function isTarget(use: PathUse, name: string, { command: { words }, paths }: PlannedStep): boolean {
  const isNamed = !use.redirect && copying.has(name) && words.length > 2 && words.at(-1)?.value === use.text
  // Others may have the same name.
  return isNamed && paths.findLast(({ text, redirect }) => !redirect && text === use.text) === use
}

/** The names under which the other operands arrive in a directory. */
function arrivingNames({ words }: SimpleCommand): readonly string[] {
  return words.slice(1, -1).map(({ value }) => posix.basename(value))
}

function asWritten({ paths, globs }: PathUse): readonly string[] {
  return [...paths, ...globs].map((path) => posix.normalize(path))
}

const HARMLESS_DEVICE = /^\/dev(?:\/(?:null|zero|full|u?random|std(?:in|out|err)|fd|fd\/\d+)?)?$/
// Programs that read only names and inodes and open no device.
const notOpening = new Set(words('ls stat find fd du df readlink realpath test [ cd lsblk echo printf git'))

/** Opening a device can have effects: watchdog(4) reboots, a terminal loses input. */
function matchDevice(use: PathUse, { command }: PlannedStep, { facts, rules }: PolicyInput): PolicyMatch[] {
  if (!use.redirect && notOpening.has(nameOf(knownValue(command.words[0]) ?? ''))) return []
  const found = [...asWritten(use), ...(destinations(use, facts) ?? [])]
  const device = found.find((path) => isBeneath(path, '/dev') && !HARMLESS_DEVICE.test(path))
  return device === undefined
    ? []
    : [policyMatch(command.text, 'device', `preset ${rules.preset}`, 'ask', explainDevice(use.text))]
}

function matchSystem(use: PathUse, { command }: PlannedStep, { facts, request }: PolicyInput): PolicyMatch[] {
  const deny = (why: string) => [policyMatch(command.text, 'system path', 'preset analysis', 'deny', why)]
  const isWindows = request.shell === 'powershell'
  const found = isWindows ? windowsSystemPath(command, use.text, request.cwd) : systemPathOf(use, facts)
  if (found === 'unknown') return deny(explainUnknownPath(use.text))
  if (found !== undefined) return deny(explainSystemPath(use.text, found))
  return isWindows || destinations(use, facts) || use.filled ? [] : deny(explainUnknownPath(use.text))
}

function bindsWorkspace({ facts, rules, request }: PolicyInput): boolean {
  return facts.workspace !== undefined && (request.mode === 'write' || rules.workspaceInReadMode)
}

function matchWorkspace(use: PathUse, { command }: PlannedStep, given: PolicyInput): PolicyMatch[] {
  const { workspace } = given.facts
  if (workspace === undefined) return []
  const found = leavesWorkspace(use, workspace, given.facts)
  if (found === undefined) return []
  if (found !== 'unknown')
    return [
      policyMatch(command.text, 'workspace', 'workspace', 'deny', explainLeaves(use.text, found, workspace)),
    ]
  return [policyMatch(command.text, 'workspace', 'workspace', 'ask', explainUnknownPath(use.text))]
}

export function matchDirectory(given: PolicyInput): PolicyMatch[] {
  const { facts, request } = given
  const { workspace } = facts
  if (workspace === undefined || !bindsWorkspace(given)) return []
  const cwd = facts.realPaths.get(request.cwd)
  if (cwd !== undefined && isBeneath(cwd, workspace)) return []
  return [policyMatch(request.cwd, 'workspace', 'workspace', 'deny', explainOutside(request.cwd, workspace))]
}
