import type { Diagnosis, Finding, State, TrapFinding } from '../doctor/diagnosis.ts'
import type { Effect } from '../doctor/traps.ts'
import { dockerLines } from './explain-docker-cli.ts'
import { limitsNote, limitsRefusedNote } from './explain-limits.ts'

const stateWords: Readonly<Record<State, string>> = {
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

/** The report of `vitrine doctor`; with `fix`, what to do about each trap. */
export function doctorReport(diagnosis: Diagnosis, { fix }: { readonly fix: boolean }): string {
  const parts = [aboutHost(diagnosis)]
  if (diagnosis.docker) parts.push(dockerLines(diagnosis.docker).join('\n'))
  if (diagnosis.rights.length > 0) parts.push(table(diagnosis.rights))
  parts.push(...trapLines(diagnosis.traps, fix), verdictLine(diagnosis))
  return `${parts.join('\n\n')}\n`
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

const effectWords: Readonly<Record<Effect, string>> = {
  blocks: 'no read mode:',
  weakens: 'less than there could be:',
  note: 'to know:',
}

function trapLines(traps: readonly TrapFinding[], fix: boolean): string[] {
  const lines = traps.flatMap(({ effect, seen, fix: steps }) => [
    `${effectWords[effect]} ${seen}`,
    ...(fix ? steps.map((step) => `  - ${step}`) : []),
  ])
  const isMore = !fix && traps.some(({ fix: steps }) => steps.length > 0)
  if (isMore) lines.push('What to do about it: vitrine doctor --fix')
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
      : [stateWords[state], said].filter((words) => words !== '').join(': '),
  ])
  const all = [['right', 'held by', 'tried', 'seen'], ...rows]
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function untriedWords(state: State): string {
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
  const count = (state: State) =>
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
