import {
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
} from 'node:fs'
import { join } from 'node:path'
import { errorCode, succeeds, tried } from '../../base/errno.ts'
import { makeDirectories, replaceFile } from '../../base/files.ts'
import { pidNamespace, statFields } from '../../base/process.ts'
import { visible } from '../../base/text.ts'
import { type Mode, ownState, type Result, toRemove } from '../../internal.ts'
import { misuse } from '../arguments.ts'

/** A process, so that its number is not taken for another one's that got it later. */
export interface ProcessKey {
  readonly pid: number
  /** proc_pid_stat(5): starttime. */
  readonly start: string
  /** Of the boot and of the PID namespace, in which the number is valid. */
  readonly boot: string
  readonly namespace: string
}

/** What is known of a command in the background: `state.json` in its directory. */
export interface Job {
  readonly id: string
  readonly command: string
  readonly cwd: string
  readonly mode: Mode
  /** The process of vitrine that runs it. */
  readonly host: ProcessKey
  readonly owner: number
  readonly startedMs: number
  readonly listening: Result['listening']
  /** Absent: it had not ended when this was written. */
  readonly ended?: { readonly state: string; readonly lines: readonly string[]; readonly atMs: number }
}

/** `elsewhere`: in another PID namespace, as of a container. */
export type JobState = 'running' | 'ended' | 'lost' | 'elsewhere'

/** Undefined: there is none, or it has ended and is not reaped. */
export function keyOf(pid: number): ProcessKey | undefined {
  const fields = statFields(pid)
  if (!fields || 'ZX'.includes(fields[3] ?? 'X')) return undefined
  return { pid, start: fields[22] ?? '', boot: bootId(), namespace: pidNamespace() }
}

function bootId(): string {
  return (tried(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')) ?? '').trim()
}

export function isAlive({ pid, start, boot }: ProcessKey): boolean {
  return boot === bootId() && keyOf(pid)?.start === start
}

export function stateOf({ ended, host }: Job): JobState {
  if (ended) return 'ended'
  if (host.boot === bootId() && host.namespace !== pidNamespace()) return 'elsewhere'
  return isAlive(host) ? 'running' : 'lost'
}

const root = () => join(ownState(process.env), 'background')
export const outputOf = (id: string) => join(root(), id, 'output')
const stateFile = (id: string) => join(root(), id, 'state.json')
const idForm = /^bg[1-9]\d{0,8}$/

/** Makes the directory of a new one, and its output, for this user alone. */
export function makeJob(): { readonly id: string; readonly fd: number } {
  makeDirectories(root(), 0o700)
  checkOwn(root())
  prune()
  const before = idsIn()
  for (let number = newestOf(before) + 1; ; number++) {
    const id = `bg${number}`
    try {
      mkdirSync(join(root(), id), 0o700)
      const fd = openSync(outputOf(id), 'wx', 0o600)
      for (const each of before) succeeds(() => rmdirSync(join(root(), each)))
      return { id, fd }
    } catch (error) {
      // Another one is being started: it has made this directory, or removed it while it was empty.
      if (!['EEXIST', 'ENOENT'].includes(errorCode(error) ?? '')) throw error
    }
  }
}

function newestOf(ids: readonly string[]): number {
  return Math.max(0, ...ids.map((id) => Number(id.slice(2))))
}

export function writeJob(job: Job): void {
  replaceFile(stateFile(job.id), `${JSON.stringify(job)}\n`, 0o600)
}

/** The directory of the newest stays, empty: no id is given twice. */
export function removeJob(id: string): void {
  const directory = join(root(), id)
  for (const name of readdirSync(directory)) rmSync(join(directory, name), { recursive: true, force: true })
  if (`bg${newestOf(idsIn())}` !== id) rmdirSync(directory)
}

/** The oldest first. Throws INVALID_REQUEST where the directory is another user's. */
export function allJobs(): readonly Job[] {
  const jobs = idsIn().flatMap((id) => readJob(id) ?? [])
  return jobs.sort((a, b) => a.startedMs - b.startedMs)
}

/** Throws INVALID_REQUEST for an unknown id. */
export function findJob(id: string | undefined, command: string): Job {
  if (id === undefined) throw misuse(`"vitrine ${command}" needs an id: see "vitrine ps".`)
  const job = idForm.test(id) && idsIn().includes(id) ? readJob(id) : undefined
  if (job) return job
  throw misuse(
    `There is no background command "${visible(id)}" of yours.\n"vitrine ps" lists them; one that has ended is kept for ${keep.maxAgeDays} days.`,
  )
}

/** It is being started, or not ours. */
function readJob(id: string): Job | undefined {
  return tried(() => {
    const fd = openSync(stateFile(id), constants.O_RDONLY | constants.O_NOFOLLOW)
    return JSON.parse(readFileSync(fd, 'utf8')) as Job
  })
}

function idsIn(): readonly string[] {
  if (tried(() => lstatSync(root())) === undefined) return []
  checkOwn(root())
  return readdirSync(root()).filter((name) => idForm.test(name) && isDirectory(join(root(), name)))
}

function isDirectory(path: string): boolean {
  return tried(() => lstatSync(path).isDirectory()) ?? false
}

/** A user who can write there can have us signal or read what they name. */
function checkOwn(directory: string): void {
  const { uid, mode } = lstatSync(directory)
  if (isDirectory(directory) && uid === process.getuid?.() && (mode & 0o022) === 0) return
  throw misuse(
    `${visible(directory)} is no directory of your own, which only you can write to.\nIt may belong to another user, as after sudo: run this as that user, or set XDG_STATE_HOME.`,
  )
}

/** As for the saved outputs of sessions. */
const keep = { maxAgeDays: 7, maxBytes: 4_294_967_296 }

function prune(): void {
  const ended = allJobs().filter((job) => ['ended', 'lost'].includes(stateOf(job)))
  const sized = ended.map((job) => {
    const bytes = tried(() => lstatSync(outputOf(job.id)).size) ?? 0
    return { id: job.id, bytes, changedMs: job.ended?.atMs ?? job.startedMs }
  })
  const total = sized.reduce((sum, { bytes }) => sum + bytes, 0)
  for (const { id } of toRemove(sized, total, keep, Date.now())) succeeds(() => removeJob(id))
}
