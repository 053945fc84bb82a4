import { clipped, visible } from '../base/text.ts'
import type { Decision, Denial, Mode } from '../base/types.ts'
import type { Disaster } from '../policy/disasters.ts'
import type { Feature, Unsure, UnsureKind } from '../policy/line.ts'
import type { Objection } from '../policy/program.ts'
import { reasonsOf } from './approval.ts'
import { denialText } from './result.ts'

const maxShownLength = 120

function shown(text: string): string {
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

export function explainSafe(rule: string): string {
  return `"${shown(rule)}" is on the list of commands that read`
}

export function explainHeld(mode: Mode): string {
  return mode === 'workspace'
    ? 'workspace mode: the operating system keeps the command from changing anything outside the workspace'
    : 'read mode: the operating system keeps the command from changing anything'
}

/** @param why what allows the first of its commands */
export function explainHeldLine(why: string): string {
  return `${why}; read mode keeps the line from changing anything`
}

export const explainUnheld =
  'nothing holds it: read mode is not available here, the line names TMPDIR, or it could not run a second time (a terminal, an input that is a stream)'

export function explainAlone(rule: string): string {
  return `"${shown(rule)}" reads only as far as read mode holds it, and the rest of the line needs write mode`
}

export const explainNotAsked = 'write mode, and there is no approver to ask ([policy] unattended)'

/** @param refused what the first run was refused */
export function explainSecondRun(mode: Mode, refused: readonly Denial[], cwd: string): string {
  return `${mode} mode refused it (${refusedText(refused, cwd)}); with approval it runs again from the start, unsandboxed`
}

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

/** @param program undefined: unknown */
export function explainHost(host: string, port: number, program: string | undefined): string {
  const asking = program === undefined ? 'it' : `its program ${visible(program)}`
  return `${asking} is about to connect to ${visible(host)}, port ${port}, which [shell] network does not list`
}

export const explainOpen = 'preset open: every command runs unless it is denied'

export function explainRule(verdict: Decision['verdict'], rule: string, reason: string): string {
  if (reason !== '') return shown(reason)
  const done = { allow: 'allows', ask: 'asks about', deny: 'denies' }[verdict]
  return `the configuration ${done} "${shown(rule)}"`
}

export function explainMaybe(text: string, rule: string): string {
  return `"${shown(text)}" may become "${shown(rule)}" when the shell expands it`
}

/** @param allowed what the preset allows, if it denies everything else */
export function explainUnlisted(program: string, allowed?: AllowedPrograms): string {
  const said = `"${shown(program)}" is not on the list of commands that read`
  if (!allowed) return said
  const { programs, subcommands } = allowed
  return `${said}; the analysis preset allows: ${programs.join(' ')}, and git ${subcommands.join(' ')}`
}

interface AllowedPrograms {
  readonly programs: readonly string[]
  readonly subcommands: readonly string[]
}

export function explainUntrustedPath(program: string): string {
  return `"${shown(program)}" is not in a system directory`
}

/** Why a rule does not simply allow the arguments. */
export function explainObjection(rule: string, { kind, text }: Objection): string {
  const at = `"${shown(text)}"`
  switch (kind) {
    case 'option':
      return `${rule}: ${at} is not an option that its rule allows`
    case 'open-word':
      return `${rule}: ${at} is only known when the command runs, and may become an option`
    case 'operand':
      return `${rule}: its rule does not allow the argument ${at}`
  }
}

const unsureBecause: Readonly<Record<UnsureKind, string>> = {
  'too-long': 'the line is longer than 64 KiB, too long to parse reliably',
  'too-many-here-documents': 'the line has more than 64 here-documents',
  'too-many-commands': 'the line has more than 2,000 commands',
  nesting: 'the line is nested too deeply to parse reliably',
  syntax: 'the line is not valid shell',
  'control-character': 'the line contains a control character, which shells interpret differently',
  'not-unicode': 'the line is not valid Unicode',
  'odd-blank': 'the line contains a blank at which only some shells split words',
  'line-continuation':
    'shells interpret a backslash at the end of a line differently unless a blank precedes it',
  'bash-only': 'sh and bash interpret this differently',
  'here-document': 'shells may disagree about where this here-document ends',
  parameter: 'shells may interpret this expansion differently',
  arithmetic: 'arithmetic with names can run code in bash',
  substitution: 'shells may disagree about where this substitution ends',
  function: 'a function can take the name of any program',
  descriptor: 'shells interpret this descriptor differently',
  'program-name': 'it is unknown which program runs until the line runs',
  'dynamic-script': 'it is unknown which script runs until the line runs',
  'other-shell': 'in PowerShell only a few cmdlets with literal arguments can be parsed reliably',
  'unknown-shell': 'only lines of sh, bash, dash and ash can be parsed reliably',
  unanswered: 'a file system does not answer, so it is unknown where the paths of the line lead',
}

export function explainUnsure({ kind, text }: Unsure): string {
  return text === '' ? unsureBecause[kind] : `${unsureBecause[kind]}: ${shown(text)}`
}

const featureNames: Readonly<Record<Feature, string>> = {
  chain: 'several commands in one line',
  pipe: 'a pipe',
  background: 'a background command (&)',
  redirect: 'a redirect',
  'here-document': 'a here-document',
  substitution: 'command substitution',
  expansion: '$ expansion',
  compound: 'loops, conditions and groups',
}

export function explainFeature(feature: Feature): string {
  const remedy = feature === 'pipe' ? ', or set [policy] pipes = true' : ''
  return `the analysis preset does not allow ${featureNames[feature]}: run one plain command at a time${remedy}`
}

export const explainBackground = 'a background command (&) continues after the line'

export function explainRedirect(text: string, operator: string): string {
  if (operator === '<') return `it is unknown what the redirect ${shown(text)} opens until the line runs`
  return `the redirect ${shown(text)} may write to a file`
}

export function explainAssignment(name: string): string {
  return `the variable ${shown(name)} changes what programs run or load`
}

export const disasters: Readonly<Record<Disaster, string>> = {
  'removes-root': 'this removes every file on the machine',
  'removes-home': 'this removes every file in the home directory',
  'makes-filesystem': 'this creates a file system and destroys existing data',
  'overwrites-device': 'this overwrites a device',
  'changes-own-rules': "this changes vitrine's own configuration or state, which only a person may do",
}

export function explainDisaster(disaster: Disaster): string {
  return disasters[disaster]
}

export function explainForkBomb(name: string): string {
  return `the function ${shown(name)} calls itself repeatedly (a fork bomb)`
}

export function explainSystemPath(text: string, path: string): string {
  return text === path
    ? `${shown(path)} is a system path, which the analysis preset does not read`
    : `${shown(text)} leads to ${shown(path)}, a system path, which the analysis preset does not read`
}

export function explainUnknownPath(text: string): string {
  return `it is unknown where ${shown(text)} leads until the line runs`
}

export function explainConfirmed(reason: string): string {
  return `confirmed by auto_confirm, although ${reason}`
}

export const explainNothing = 'the line runs no program'

export const explainEndless = 'a function that calls itself repeatedly'
