import { type AttachedClient, attachedClients } from '../attach/attached.ts'
import type { Diagnosis, Finding, RightState } from '../doctor/attempt.ts'
import { diagnose } from '../doctor/doctor.ts'
import type { Trap, TrapEffect } from '../doctor/system.ts'
import { currentDirectory, type DockerStatus, dockerStatus } from '../internal.ts'
import { isVitrineError } from '../messages/error.ts'
import { limitsNote, limitsRefusedNote } from '../messages/limits.ts'
import { type Options, parseAll } from './arguments.ts'
import { loadConfigFor } from './configuration.ts'
import { dockerLines } from './docker.ts'
import { grammar } from './grammar.ts'
import { eraseLine, isTerminal, print, standardError } from './output.ts'

export async function main(args: readonly string[]): Promise<number> {
  const options = parseAll('doctor', args, grammar.doctor)
  const docker = await dockerChosen(options)
  const clients = await attachedClients(currentDirectory(), process.env)
  const diagnosis = { ...(await diagnosed()), ...(docker && { docker }), clients }
  const text = options.flags.has('json') ? `${JSON.stringify(diagnosis, null, 2)}\n` : doctorReport(diagnosis)
  const isUsable = !docker || (docker.engine !== undefined && docker.image.present === true)
  const isHeld = clients.every(({ faults }) => faults.length === 0)
  return print(text, diagnosis.verdict === 'enforced' && isUsable && isHeld ? 0 : 1)
}

async function diagnosed(): Promise<Diagnosis> {
  const program = [process.execPath, process.argv[1] ?? ''] as const
  if (!isTerminal(2)) return diagnose(program)
  try {
    return await diagnose(
      program,
      (name, at, of) => void standardError.write(`${eraseLine}vitrine: ${at} of ${of}: ${name}`.slice(0, 82)),
    )
  } finally {
    await standardError.write(eraseLine)
  }
}

async function dockerChosen(options: Options): Promise<DockerStatus | undefined> {
  try {
    const loaded = await loadConfigFor(options)
    return loaded.config.shell.backend === 'docker' ? await dockerStatus(loaded, process.env) : undefined
  } catch (error) {
    // An invalid configuration does not keep the host from being diagnosed; every other command reports it.
    if (isVitrineError(error) && error.code === 'CONFIG_INVALID') return undefined
    throw error
  }
}

const stateWords: Readonly<Record<RightState, string>> = {
  enforced: 'enforced',
  open: 'NOT ENFORCED',
  untried: 'not testable here',
  lacking: 'not enforced on this system',
}

/** The report of `vitrine doctor`; no line is wider than `widest`. */
export function doctorReport(
  diagnosis: Diagnosis & { readonly clients?: readonly AttachedClient[] },
): string {
  const parts = [aboutHost(diagnosis)]
  if (diagnosis.docker) parts.push(dockerLines(diagnosis.docker).join('\n'))
  if (diagnosis.rights.length > 0) parts.push(table(diagnosis.rights))
  parts.push(...trapLines(diagnosis.traps), ...clientLines(diagnosis.clients), verdictLine(diagnosis))
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
      `limits    ${probe.sessions ? limitsNote(probe.cgroup, probe.cgroupMissing) : limitsRefusedNote}`,
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
  blocks: 'read and workspace mode unavailable:',
  weakens: 'reduced:',
}

function trapLines(traps: readonly Trap[]): string[] {
  const lines = traps.flatMap(({ effect, seen, fix }) => [
    `${effectWords[effect]} ${seen}`,
    ...fix.map((step) => `  - ${step}`),
  ])
  return lines.length === 0 ? [] : [lines.join('\n')]
}

function clientLines(clients: readonly AttachedClient[] = []): string[] {
  const lines = clients.map(({ client, mode, faults }) => {
    const state = faults.length === 0 ? `attached in ${mode} mode` : `NOT HELD HERE: ${faults.join(' ')}`
    return `${client.padEnd(10)}${state}`
  })
  return lines.length === 0 ? [] : [lines.join('\n')]
}

function listenerWords({ listener, listenerProves }: NonNullable<Diagnosis['host']['probe']>): string {
  if (!listener) return 'no listener: sweeping an ended command scans all processes'
  return listenerProves ? 'a listener that shows when every process of a command has ended' : 'a listener'
}

function table(rights: readonly Finding[]): string {
  const rows = rights.map(({ right, by, attempt, state, said }) => {
    const untried = state === 'lacking' ? stateWords.lacking : 'no attempt would be harmless'
    const result = attempt === undefined ? untried : `${stateWords[state]}: ${attempt}`
    return row(right, by, said === '' || state === 'enforced' ? result : `${result}: ${said}`)
  })
  return [row('right', 'enforced by', 'result: attempt'), ...rows].join('\n')
}

const widest = 100

function row(right: string, by: string, result: string): string {
  return `${right.padEnd(19)}${by.padEnd(32)}${result}`
}

/** Wraps a line at blanks, and a word that is too long anywhere. */
function wrapped(line: string, width: number, indent: number): string[] {
  if (line.length <= width) return [line]
  const blank = line.lastIndexOf(' ', width)
  const at = blank > indent ? blank : width
  const rest = ' '.repeat(indent) + line.slice(at).trimStart()
  return [line.slice(0, at), ...wrapped(rest, width, indent)]
}

/** The column where the text of a line begins: after its names, or after the dash of a step. */
function indentOf(line: string): number {
  return /^(?: {2}- |(?:\S+(?: \S+)* {2,}){1,2}|)/.exec(line)?.[0].length ?? 0
}

function named(rights: readonly Finding[], wanted: RightState): string {
  return [...new Set(rights.filter(({ state }) => state === wanted).map(({ right }) => right))].join(', ')
}

function verdictLine({ verdict, unavailable, rights }: Diagnosis): string {
  const count = (state: RightState) =>
    rights.filter((finding) => finding.attempt && finding.state === state).length
  const attempts = rights.filter(({ attempt }) => attempt).length
  switch (verdict) {
    case 'unavailable':
      return `Read and workspace mode are not available. They need ${unavailable?.wanted}; found: ${unavailable?.got}. To fix it: ${unavailable?.remedy}.`
    case 'untried':
      return 'Read mode is available but untested: no attempt changes anything in write mode either, or no temporary directory can be created.'
    case 'not-enforced':
      return `NOT ENFORCED: ${named(rights, 'open')}. ${count('open')} of ${attempts} attempts did not end as they must. Please report it.`
    case 'partly':
      return `Read mode is partly enforced: this system does not enforce ${named(rights, 'lacking')}. Of the other attempts, ${count('enforced')} ended as they must and ${count('untried')} could not be tested here.`
    case 'enforced':
      return `Read mode is enforced: ${count('enforced')} attempts ended as they must, ${count('untried')} could not be tested here.`
  }
}
