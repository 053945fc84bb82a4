import type { Diagnosis, Finding, State } from '../doctor/diagnosis.ts'

const stateWords: Readonly<Record<State, string>> = {
  enforced: 'held',
  open: 'NOT HELD',
  untried: 'could not be tried',
}

/** What an attempt that never came to its end has to say. */
export function tooSlow(ms: number): string {
  return `it did not end within ${ms / 1000} s`
}

export const noProcessId = 'no process id came back'

/** The report of `vitrine doctor`. */
export function doctorReport(diagnosis: Diagnosis): string {
  const parts = [aboutHost(diagnosis)]
  if (diagnosis.rights.length > 0) parts.push(table(diagnosis.rights))
  parts.push(verdictLine(diagnosis))
  return `${parts.join('\n\n')}\n`
}

function aboutHost({ kernel, architecture, user, host }: Diagnosis): string {
  const { platform, missing, probe, watcherPid } = host
  const lines = [
    `system    ${platform}, kernel ${kernel}, ${architecture}, as ${user === 'root' ? 'root' : 'an ordinary user'}`,
  ]
  if (missing !== undefined) lines.push(`addon     missing: ${missing}`)
  if (probe)
    lines.push(
      `landlock  ${probe.landlockAbi > 0 ? `ABI ${probe.landlockAbi}, errata 0x${probe.landlockErrata.toString(16)}` : 'none'}`,
      `seccomp   ${probe.seccomp ? 'filters' : 'none'}, ${listenerWords(probe)}`,
      `yama      ${probe.yama < 0 ? 'none' : `ptrace_scope ${probe.yama}`}`,
      `watcher   ${watcherPid === undefined ? 'not running' : `running, process ${watcherPid}`}`,
    )
  return lines.join('\n')
}

function listenerWords({ listener, listenerProves }: NonNullable<Diagnosis['host']['probe']>): string {
  if (!listener) return 'no listener: ended commands are swept by a scan of all processes'
  return listenerProves ? 'a listener that proves a command has ended whole' : 'a listener'
}

function table(rights: readonly Finding[]): string {
  const rows = rights.map(({ right, by, attempt, settings, state, said }) => [
    right,
    by,
    attempt === undefined ? 'nothing: no attempt would be harmless' : `${attempt}${settingsWords(settings)}`,
    attempt === undefined ? '' : [stateWords[state], said].filter((words) => words !== '').join(': '),
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

function settingsWords(settings: Finding['settings']): string {
  const each = Object.entries(settings ?? {}).map(([key, value]) => `${key} = ${JSON.stringify(value)}`)
  return each.length === 0 ? '' : ` (${each.join(', ')})`
}

function verdictLine({ verdict, unavailable, rights }: Diagnosis): string {
  const count = (state: State) =>
    rights.filter((finding) => finding.attempt && finding.state === state).length
  switch (verdict) {
    case 'unavailable':
      return `There is no read mode here. It needs ${unavailable?.wanted}; this host: ${unavailable?.got}. To have it: ${unavailable?.remedy}.`
    case 'not-enforced':
      return `READ MODE DOES NOT HOLD HERE: ${count('open')} of ${rights.length} attempts changed something. Please report it.`
    case 'enforced':
      return `Read mode holds: ${count('enforced')} attempts came to nothing, ${count('untried')} could not be tried here.`
  }
}
