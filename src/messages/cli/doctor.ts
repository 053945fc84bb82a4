import type { Diagnosis, Finding, RightState, TrapFinding } from '../../doctor/diagnosis.ts'
import type { TrapEffect } from '../../doctor/traps.ts'
import { limitsNote, limitsRefusedNote } from '../limits.ts'
import { dockerLines } from './docker.ts'

const stateWords: Readonly<Record<RightState, string>> = {
  enforced: 'held',
  open: 'NOT HELD',
  untried: 'could not be tried',
  lacking: 'not held on this system',
}

/** What an attempt that never came to its end has to say. */
export function tooSlow(ms: number): string {
  return `it did not end within ${ms / 1000} s`
}

export const noProcessId = 'no process id came back'

/** While an attempt is made. */
export function tryingLine(name: string, at: number, of: number): string {
  return `vitrine: ${at} of ${of}: ${name}`.slice(0, 79)
}

/** The report of `vitrine doctor`, no line of it wider than `widest`. */
export function doctorReport(diagnosis: Diagnosis): string {
  const parts = [aboutHost(diagnosis)]
  if (diagnosis.docker) parts.push(dockerLines(diagnosis.docker).join('\n'))
  if (diagnosis.rights.length > 0) parts.push(table(diagnosis.rights))
  parts.push(...trapLines(diagnosis.traps), verdictLine(diagnosis))
  const lines = parts
    .join('\n\n')
    .split('\n')
    .flatMap((line) => wrapped(line, widest, indentOf(line)))
  return `${lines.join('\n')}\n`
}

function aboutHost(diagnosis: Diagnosis): string {
  const { platform, missing, probe, watcherPid } = diagnosis.host
  const lines = [`system    ${systemWords(diagnosis)}`]
  if (missing !== undefined) lines.push(`addon     missing: ${missing}`)
  if (probe)
    lines.push(
      `landlock  ${probe.landlockAbi > 0 ? `ABI ${probe.landlockAbi}, errata 0x${probe.landlockErrata.toString(16)}` : 'none'}`,
      `seccomp   ${probe.seccomp ? 'filters' : 'none'}, ${listenerWords(probe)}`,
      `yama      ${probe.yama < 0 ? 'none' : `ptrace_scope ${probe.yama}`}`,
      `limits    ${probe.sessions ? limitsNote(probe.cgroup, probe.cgroupMissing) : limitsRefusedNote()}`,
      `watcher   ${watcherPid === undefined ? 'not running' : `running, process ${watcherPid}`}`,
    )
  return platform === 'linux' || missing === undefined ? lines.join('\n') : (lines[0] ?? '')
}

function systemWords({ distribution, host, kernel, architecture, user, wsl, container }: Diagnosis): string {
  const parts = [
    distribution ?? host.platform,
    `kernel ${kernel}`,
    architecture,
    wsl === undefined ? undefined : `WSL ${wsl}`,
    container === undefined ? undefined : `in a container (${container})`,
    user === 'root' ? 'as root' : 'as an ordinary user',
  ]
  return parts.filter((part) => part !== undefined).join(', ')
}

const effectWords: Readonly<Record<TrapEffect, string>> = {
  blocks: 'no read mode:',
  weakens: 'less than there could be:',
  note: 'to know:',
}

function trapLines(traps: readonly TrapFinding[]): string[] {
  const lines = traps.flatMap(({ effect, seen, fix }) => [
    `${effectWords[effect]} ${seen}`,
    ...fix.map((step) => `  - ${step}`),
  ])
  return lines.length === 0 ? [] : [lines.join('\n')]
}

function listenerWords({ listener, listenerProves }: NonNullable<Diagnosis['host']['probe']>): string {
  if (!listener) return 'no listener: ended commands are swept by a scan of all processes'
  return listenerProves ? 'a listener that proves a command has ended whole' : 'a listener'
}

function table(rights: readonly Finding[]): string {
  const rows = rights.map(({ right, by, attempt, settings, state, said }) => [
    right,
    by,
    attempt === undefined ? untriedWords(state) : `${attempt}${settingsWords(settings)}`,
    attempt === undefined && state !== 'lacking'
      ? ''
      : [stateWords[state], state === 'enforced' ? '' : said].filter((words) => words !== '').join(': '),
  ])
  return [['right', 'held by', 'tried', 'seen'], ...rows].map(rowText).join('\n')
}

const widest = 100
const between = '  '
/** Of the columns of the table: with what stands between them they fill a row. */
const widths = [21, 18, 29, 26]

function rowText(cells: readonly string[]): string {
  const columns = cells.map((cell, at) => wrapped(cell, widths[at] ?? widest, 0))
  const height = Math.max(...columns.map((lines) => lines.length))
  return Array.from({ length: height }, (_, row) =>
    columns
      .map((lines, at) => (lines[row] ?? '').padEnd(widths[at] ?? 0))
      .join(between)
      .trimEnd(),
  ).join('\n')
}

/** Breaks a line at its blanks; a word that is too long, anywhere. */
function wrapped(line: string, width: number, indent: number): string[] {
  if (line.length <= width) return [line]
  const blank = line.lastIndexOf(' ', width)
  const at = blank > indent ? blank : width
  const rest = ' '.repeat(indent) + line.slice(at).trimStart()
  return [line.slice(0, at), ...wrapped(rest, width, indent)]
}

/** Where the text of a line begins: behind its name, or the dash of a step. */
function indentOf(line: string): number {
  return /^(?: {2}- |\w+ {2,}|)/.exec(line)?.[0].length ?? 0
}

function untriedWords(state: RightState): string {
  return state === 'lacking' ? 'nothing' : 'nothing: no attempt would be harmless'
}

function settingsWords(settings: Finding['settings']): string {
  const each = Object.entries(settings ?? {}).map(([key, value]) => `${key} = ${JSON.stringify(value)}`)
  return each.length === 0 ? '' : ` (${each.join(', ')})`
}

function lacking(rights: readonly Finding[]): string {
  return [...new Set(rights.filter(({ state }) => state === 'lacking').map(({ right }) => right))].join(', ')
}

function verdictLine({ verdict, unavailable, rights }: Diagnosis): string {
  const count = (state: RightState) =>
    rights.filter((finding) => finding.attempt && finding.state === state).length
  switch (verdict) {
    case 'unavailable':
      return `There is no read mode here. It needs ${unavailable?.wanted}; this host: ${unavailable?.got}. To have it: ${unavailable?.remedy}.`
    case 'untried':
      return 'There is a read mode here, but nothing could be tried: no attempt changes anything without it either, or there is no directory for it to try in.'
    case 'not-enforced':
      return `READ MODE DOES NOT HOLD HERE: ${count('open')} of ${rights.length} attempts changed something. Please report it.`
    case 'partly':
      return `Read mode holds in part: nothing holds ${lacking(rights)} on this system; of the rest ${count('enforced')} attempts came to nothing, ${count('untried')} could not be tried here.`
    case 'enforced':
      return `Read mode holds: ${count('enforced')} attempts came to nothing, ${count('untried')} could not be tried here.`
  }
}
