import type { Decision, Mode } from '../base/types.ts'
import { visible } from '../base/visible.ts'
import type { Objection } from '../policy/command/arguments.ts'
import type { Disaster } from '../policy/presets/deny.ts'
import type { Feature, Unsure, UnsureKind } from '../policy/syntax/line.ts'

const maxShownLength = 120

function shown(text: string): string {
  const clean = visible(text)
  return clean.length > maxShownLength ? `${clean.slice(0, maxShownLength)}...` : clean
}

/** Says that a command never ran, and why. */
export function describeDenied({ reason }: Decision): string {
  return `Denied by policy: ${reason}. Nothing ran.`
}

/** Says that nobody approved of a command. */
export function describeNotApproved({ reason }: Decision, setBy?: string): string {
  const from = setBy === undefined ? '' : ` (policy.unattended is set by ${shown(setBy)})`
  return `Not approved${from}. It was asked about because ${reason}. Nothing ran.`
}

export function explainSafe(rule: string): string {
  return `${shown(rule)} with these arguments only looks`
}

export function explainReadMode(): string {
  return 'read mode: the operating system keeps the command from changing anything'
}

export function explainOpen(): string {
  return 'preset open: everything that is not denied runs'
}

export function explainInterpreter(program: string, mode: Mode): string {
  return mode === 'read'
    ? `${program} runs code, and read mode keeps it from changing anything`
    : `${program} runs code, which write mode does not hold`
}

export function explainRule(verdict: Decision['verdict'], rule: string, reason: string): string {
  if (reason !== '') return shown(reason)
  const done = { allow: 'allows', ask: 'asks about', deny: 'denies' }[verdict]
  return `the configuration ${done} "${shown(rule)}"`
}

export function explainMaybe(text: string, rule: string): string {
  return `"${shown(text)}" may become "${shown(rule)}" when the shell expands it`
}

export function explainUnlisted(program: string, allowed: string): string {
  const said = `"${shown(program)}" is not on the list of commands that only look`
  return allowed === '' ? said : `${said}; the analysis preset allows: ${allowed}`
}

export function explainForeign(path: string): string {
  return `PATH finds ${shown(path)}, which comes with a project: write the path of the system's program, or allow this one`
}

export function explainUntrustedPath(program: string): string {
  return `"${shown(program)}" is a program of its own, not one of the system's directories`
}

/** Why arguments are not plainly allowed. */
export function explainObjection(rule: string, { kind, text }: Objection): string {
  const at = `"${shown(text)}"`
  switch (kind) {
    case 'option':
      return `${rule}: ${at} is not among the options that are known to be harmless`
    case 'open-word':
      return `${rule}: ${at} is only known when it runs, and may become an option`
    case 'operand':
      return `${rule}: the argument ${at} may change something`
    case 'script':
      return `${rule}: ${at} may write, or run something`
    case 'form':
      return `${rule}: this form is not known to be harmless: ${at}`
  }
}

const unsureBecause: Readonly<Record<UnsureKind, string>> = {
  'too-long': 'the line is longer than 64 KiB, too long to be read for certain',
  'too-many-here-documents': 'the line has more than 64 here-documents',
  'too-many-commands': 'the line has more than 2,000 commands',
  nesting: 'the line is nested too deep to be read for certain',
  syntax: 'the line is not valid shell',
  'control-character': 'the line holds a control character, which shells read differently',
  'not-unicode': 'the line is not valid Unicode',
  'odd-blank': 'the line holds a blank that some shells split words at and others do not',
  'line-continuation': 'a backslash at the end of a line, not after a blank, is read differently by shells',
  'bash-only': 'sh and bash read this differently',
  'here-document': 'shells may disagree about where this here-document ends',
  parameter: 'shells may read this expansion differently',
  arithmetic: 'arithmetic with names can run code in bash',
  substitution: 'shells may disagree about where this substitution ends',
  function: 'a function can take the name of any program',
  descriptor: 'shells read this descriptor differently',
  'program-name': 'which program runs is only known when it runs',
  'dynamic-script': 'which script runs is only known when it runs',
  'other-shell': 'of PowerShell only a few cmdlets with literal arguments are read for certain',
  unanswered: 'where paths of the line lead is not known, for a file system does not answer',
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

export function explainBackground(): string {
  return 'a background command (&) lives on after the line'
}

export function explainRedirect(text: string): string {
  return `the redirect ${shown(text)} may write to a file`
}

export function explainAssignment(name: string): string {
  return `the variable ${shown(name)} changes what programs run or load`
}

const disasters: Readonly<Record<Disaster, string>> = {
  'removes-root': 'this removes everything on the machine',
  'removes-home': 'this removes everything in the home directory',
  'makes-filesystem': 'this makes a new file system over what is there',
  'overwrites-device': 'this writes over a device',
  'changes-own-rules': "this changes vitrine's own configuration or state, which a person must do",
}

export function explainDisaster(disaster: Disaster): string {
  return disasters[disaster]
}

export function explainForkBomb(name: string): string {
  return `the function ${shown(name)} starts itself again and again: a fork bomb`
}

export function explainRepositoryKey(key: string, file: string): string {
  return `${shown(file)} sets ${shown(key)}, through which git may run a program`
}

export function explainRepositoryProgram(key: string, file: string): string {
  return `${shown(file)} sets ${shown(key)}, by which git runs a program even to look: use read mode, or allow that program in [policy] allow`
}

export function explainHook(path: string): string {
  return `git may run the hook ${shown(path)}, which no allow rule names`
}

export function explainRepositoryUnreadable(path: string, why: string): string {
  return `this repository's configuration could not be read: ${shown(path)}: ${why}`
}

export function explainRepositoryUnknown(): string {
  return 'which repository git reads, and what its configuration makes git run, is not known'
}

export function explainDevice(text: string): string {
  return `${shown(text)} is a device, and opening one may do something`
}

export function explainSystemPath(text: string, path: string): string {
  return text === path
    ? `${shown(path)} is a system path, which the analysis preset does not read`
    : `${shown(text)} leads to ${shown(path)}, a system path, which the analysis preset does not read`
}

export function explainLeaves(text: string, path: string, workspace: string): string {
  return `${shown(text)} leads to ${shown(path)}, outside of the workspace ${shown(workspace)}`
}

export function explainOutside(cwd: string, workspace: string): string {
  return `the current directory ${shown(cwd)} is outside of the workspace ${shown(workspace)}`
}

export function explainUnknownPath(text: string): string {
  return `where ${shown(text)} leads is not known before it runs`
}

export function explainConfirmed(reason: string): string {
  return `confirmed by auto_confirm, although ${reason}`
}

export function explainNothing(): string {
  return 'nothing runs'
}

export function explainEndless(): string {
  return 'a function that starts itself again and again'
}

export function explainRunsCode(): string {
  return 'it runs code: allowed in read mode, which holds it'
}
