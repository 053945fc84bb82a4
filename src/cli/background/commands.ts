import { constants, createReadStream, openSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { visible } from '../../base/text.ts'
import { listeningAt } from '../../messages/result.ts'
import { misuse, type Options, parseAll } from '../arguments.ts'
import { grammar } from '../grammar.ts'
import { lostCode, prefixed, print, standardError, standardOutput } from '../output.ts'
import { allJobs, findJob, isAlive, type Job, outputOf, removeJob, stateOf } from './job.ts'

const pollMs = 50

/** `vitrine ps` */
export async function ps(args: readonly string[]): Promise<number> {
  const { flags } = parseAll('ps', args, grammar.ps)
  const jobs = allJobs().map((job) => ({ ...job, state: stateText(job), ageMs: Date.now() - job.startedMs }))
  if (flags.has('json')) {
    const commands = jobs.map(({ host, ended: _, ...job }) => ({ ...job, pid: host.pid }))
    return print(`${JSON.stringify({ commands })}\n`)
  }
  const lines = jobs.map(({ id, ageMs, mode, state, listening, command }) => {
    const where = listening.map(listeningAt).join(',') || '-'
    return `${id}  ${ageText(ageMs)}  ${mode}  ${state}  ${where}  ${visible(command)}\n`
  })
  return print(lines.join('') || 'no commands in the background\n')
}

function stateText(job: Job): string {
  return job.ended?.state ?? stateOf(job)
}

function ageText(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  if (seconds < 120) return `${seconds}s`
  return seconds < 7200 ? `${Math.floor(seconds / 60)}m` : `${Math.floor(seconds / 3600)}h`
}

/** `vitrine logs ID` */
export async function logs(args: readonly string[]): Promise<number> {
  const { flags, words }: Options = parseAll('logs', args, grammar.logs)
  let job = findJob(words[0], 'logs')
  let at = 0
  for (;;) {
    const isOver = stateOf(job) !== 'running' || !flags.has('follow')
    at += await passOn(job.id, at)
    if (standardOutput.broken !== undefined) return lostCode(standardOutput.broken)
    if (isOver) break
    await setTimeout(pollMs)
    job = findJob(job.id, 'logs')
  }
  if (stateOf(job) === 'lost') throw misuse(lostText(job))
  for (const line of job.ended?.lines ?? []) await standardError.write(prefixed(line))
  return 0
}

/** Resolves to the bytes that there were from a position on. */
async function passOn(id: string, start: number): Promise<number> {
  const fd = openSync(outputOf(id), constants.O_RDONLY | constants.O_NOFOLLOW)
  let bytes = 0
  for await (const chunk of createReadStream('', { fd, start })) {
    bytes += (chunk as Buffer).length
    await standardOutput.write(chunk as Buffer)
    if (standardOutput.broken !== undefined) break
  }
  return bytes
}

/** `vitrine stop ID` */
export async function stop(args: readonly string[]): Promise<number> {
  const { words } = parseAll('stop', args, grammar.stop)
  const job = findJob(words[0], 'stop')
  const state = stateOf(job)
  if (state === 'lost') throw misuse(lostText(job))
  if (state === 'elsewhere')
    throw misuse(
      `${job.id} runs in another PID namespace, as of a container.\nRun "vitrine stop ${job.id}" there.`,
    )
  if (state === 'ended') removeJob(job.id)
  else await ended(job)
  return 0
}

/** Its process ends the command, and then itself. */
async function ended({ host }: Job): Promise<void> {
  if (isAlive(host)) process.kill(host.pid, 'SIGTERM')
  while (isAlive(host)) await setTimeout(pollMs)
}

function lostText({ id, host }: Job): string {
  return `${id} has ended without a word: its process (${host.pid}) was killed, and its command with it.\nThe output until then is what "vitrine logs ${id}" prints.`
}
