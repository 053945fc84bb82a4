import { spawn } from 'node:child_process'
import { platform } from '../../base/platform.ts'
import { statFields } from '../../base/process.ts'
import {
  type Approval,
  type ApprovalRequest,
  type Decision,
  type Refusal,
  VitrineError,
} from '../../internal.ts'
import { misuse } from '../arguments.ts'
import { print, standardError } from '../output.ts'
import { askingApprover } from '../run/ask.ts'
import type { RunArguments } from '../run/request.ts'
import { keyOf, type ProcessKey } from './job.ts'

/** To the process that runs the command. */
export type ToHost =
  | { readonly kind: 'start'; readonly args: readonly string[]; readonly owner: ProcessKey }
  | { readonly kind: 'answer'; readonly approval: Approval | 'none' }

/** From it. It puts one question at a time. */
export type FromHost =
  | { readonly kind: 'ask'; readonly request: Omit<ApprovalRequest, 'signal'>; readonly decision: Decision }
  | { readonly kind: 'late' }
  | { readonly kind: 'started'; readonly id: string }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'broken'; readonly stack: string }

/** `vitrine run --background`: starts the process that runs the command, and prints its id once it runs. Throws what kept it from running. */
export async function startInBackground(args: readonly string[], given: RunArguments): Promise<number> {
  checkOptions(given)
  const owner = ownerOf(given.options.values.get('owner'))
  const script = process.argv[1] ?? ''
  const host = spawn(process.execPath, [...process.execArgv, script, 'background-host'], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  const tell = (message: ToHost) => host.connected && host.send(message)
  host.stderr?.on('data', (chunk: Buffer) => void standardError.write(chunk))
  tell({ kind: 'start', args, owner })
  const end = await new Promise<FromHost>((resolve, reject) => {
    host.on('message', answering(tell, resolve))
    host.once('error', reject)
    host.once('exit', () => resolve({ kind: 'broken', stack: 'its process ended before the command ran' }))
  })
  if (end.kind === 'started') return print(`${end.id}\n`)
  throw end.kind === 'refused'
    ? new VitrineError(end.refusal)
    : Object.assign(new Error(), { stack: Object(end).stack })
}

/** Asks at this terminal what the host asks; all else is the end of the start. */
function answering(tell: (message: ToHost) => void, end: (message: FromHost) => void) {
  const ask = askingApprover(undefined)
  let wait = new AbortController()
  return (message: FromHost) => {
    if (message.kind === 'late') return wait.abort()
    if (message.kind !== 'ask') return end(message)
    wait = new AbortController()
    const answered = Promise.resolve(ask({ ...message.request, signal: wait.signal }, message.decision))
    const none = () => tell({ kind: 'answer', approval: 'none' })
    answered.then((approval) => tell({ kind: 'answer', approval: approval as Approval }), none)
  }
}

function checkOptions({ each, json, pty, options }: RunArguments): void {
  if (platform !== 'linux') throw misuse('--background needs Linux, whose /proc tells when its owner ends.')
  const isGiven = { each, json: json !== undefined, pty, session: options.values.has('session') }
  const [name] = Object.entries(isGiven).find(([, given]) => given) ?? []
  if (name)
    throw misuse(`--background runs one command, whose output "vitrine logs" prints: leave --${name} out.`)
}

/**
 * With whose end the command ends: the process that --owner names, else the leader of this session, which is the shell at a terminal. If
 * that is vitrine itself, as where each call gets a session, its parent.
 */
function ownerOf(given: string | undefined): ProcessKey {
  const leader = Number(statFields('self')?.[6])
  const parent = process.ppid > 1 ? process.ppid : 0
  const pid = given === undefined ? (leader === process.pid || leader === 0 ? parent : leader) : Number(given)
  const key = Number.isInteger(pid) && pid > 0 ? keyOf(pid) : undefined
  if (key) return key
  if (given !== undefined) throw misuse(`--owner takes the number of a process that runs; ${given} is none.`)
  throw misuse(
    `The process that leads this session${pid > 0 ? ` (${pid})` : ''} has ended, so nothing would end the command.\nName the process with which it is to end: --owner PID.`,
  )
}
