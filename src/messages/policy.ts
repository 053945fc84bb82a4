import { clipped, visible } from '../base/text.ts'
import type { Decision, Denial, Mode } from '../base/types.ts'
import { reasonsOf } from './approval.ts'
import { denialText } from './result.ts'

const maxShownLength = 120

export function shown(text: string): string {
  return clipped(text, maxShownLength)
}

export function describeDenied({ reason }: Decision): string {
  return `Denied by policy: ${reason}. The command did not run.`
}

export function describeNotApproved(decision: Decision, setBy?: string): string {
  const from = setBy === undefined ? '' : ` (policy.unattended is set by ${shown(setBy)})`
  const because = reasonsOf(decision).join('; ')
  return `Not approved${from}. Approval is needed because ${because}. The command did not run.`
}

export function explainHeld(mode: Mode): string {
  return mode === 'workspace'
    ? 'workspace mode: the operating system keeps the command from changing anything outside the workspace'
    : 'read mode: the operating system keeps the command from changing anything'
}

export const explainUnheld =
  'nothing holds it: read mode is not available here, the line names TMPDIR, or it could not run a second time (a terminal, an input that is a stream)'

/** `delete src/a.ts and 12 more`, as in the directory of the command; without refusals: the system does not report them. */
export function refusedText(refused: readonly Denial[], cwd: string): string {
  const [first] = refused
  if (!first) return 'it failed, and what was refused is not reported here'
  const isInside = first.path?.startsWith(`${cwd}/`)
  const told = denialText(isInside ? { ...first, path: first.path?.slice(cwd.length + 1) ?? '' } : first)
  return refused.length === 1 ? told : `${told} and ${refused.length - 1} more`
}

/** @param path protected in workspace mode */
export function explainChange(path: string): string {
  return `it is about to change ${visible(path)}, which is protected because programs outside of the sandbox obey it; with approval this command may change it and all beneath it`
}

/** Of the deny list, by name. */
export const disasters = {
  'removes-root': 'this removes every file on the machine',
  'removes-home': 'this removes every file in the home directory',
  'makes-filesystem': 'this creates a file system and destroys existing data',
  'overwrites-device': 'this overwrites a device',
  'changes-own-rules': "this changes vitrine's own configuration or state, which only a person may do",
  'fork bomb': 'a function calls itself repeatedly (a fork bomb)',
} as const
