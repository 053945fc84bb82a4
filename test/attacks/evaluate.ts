import type { Attack, Control, Need, Report } from './attack.ts'
import { ownStatus } from './needs.ts'
import { type Attempt, type Means, type Run, tryOnce } from './try.ts'

/** Where the table is tried: as this user, with or without the network. */
export interface Circumstances extends Omit<Means, 'run'> {
  readonly network: boolean
  /** Whether each attempt is also made unsandboxed. */
  readonly controls: boolean
  readonly sandboxed: Run
  /** The same, with a private directory for each attempt. */
  readonly sandboxedWithTmp: Run
  /** Write mode. */
  readonly unsandboxed: Run
  /** `child_process`, which passes on whatever stands open. */
  readonly plain: Run
}

export type Verdict = Omit<Report, 'name'>

/** What becomes of a row that throws. */
export function broken(error: Error): Verdict {
  return { verdict: 'broken', detail: error.stack ?? error.message }
}

/** Errors by which a kernel or file system says that it does not know the call at all. */
const UNKNOWN_HERE: Readonly<Record<string, string>> = {
  ENOSYS: 'this kernel does not know the call',
  EOPNOTSUPP: 'this kernel or file system does not support it',
  ENOTTY: 'this file system does not know the request',
  EAFNOSUPPORT: 'this kernel does not know the address family',
  EPROTONOSUPPORT: 'this kernel does not know the protocol',
  ESOCKTNOSUPPORT: 'this kernel does not know the socket type',
  ENODEV: 'this machine has no such device',
}

function tryInReadMode(attack: Attack, where: Circumstances): Promise<Attempt> {
  return tryOnce(attack, { ...where, run: attack.privateTmp ? where.sandboxedWithTmp : where.sandboxed })
}

/** Why the first need that is not met is not; undefined where all are. */
export function firstMissing(needs: readonly Need[] = []): string | null | undefined {
  return needs.map((need) => need()).find((reason) => reason !== null)
}

/** Tries the attack in read mode, then shows by its control that the attempt was a real one. */
export async function evaluate(attack: Attack, where: Circumstances): Promise<Verdict> {
  const missing = firstMissing(attack.needs)
  if (missing) return { verdict: 'skipped', detail: missing }
  if (where.network && attack.network === 'granted') return evaluateGrant(attack, where)
  const attempt = await tryInReadMode(attack, where)
  if (isFilteredFirst(attack, attempt))
    return { verdict: 'skipped', detail: `${attempt.errno}: a filter around these tests refuses it first` }
  if (attempt.outcome === 'cannot') return evaluateImpossible(attack, attempt, where)
  const broken = brokenBy(attack, attempt)
  return broken ? { verdict: 'broken', detail: broken } : evaluateControl(attack, attempt, where)
}

/** What was granted must work, or the grant is worth nothing. */
async function evaluateGrant(attack: Attack, where: Circumstances): Promise<Verdict> {
  const attempt = await tryInReadMode(attack, where)
  const unproven = unprovenBy(attack.control, attempt)
  if (!unproven) return { verdict: 'held', detail: 'granted, and works' }
  const excuse = attack.control.kind === 'none' ? null : excuseOf(attack.control, attempt)
  if (excuse) return { verdict: 'skipped', detail: `granted, but refused here: ${excuse}` }
  return { verdict: 'broken', detail: `the network is granted, but ${unproven}` }
}

/** Says in which way read mode did not hold; null when it did. */
function brokenBy(attack: Attack, attempt: Attempt): string | null {
  if (attempt.end.timedOut) return 'it had to be ended at its deadline'
  if (attempt.change) return `changed: ${attempt.change} (${say(attempt)})`
  const { expect, control } = attack
  if (expect.kind === 'harmless') return attempt.outcome === 'did not run' ? say(attempt) : null
  if (expect.kind === 'killed') return attempt.end.signal === expect.signal ? null : say(attempt)
  if (attempt.outcome !== 'refused') return say(attempt)
  const wanted = control.kind === 'none' ? control.errno : attempt.errno
  return attempt.errno === wanted ? null : `refused by ${attempt.errno}, not by the filter's own ${wanted}`
}

/** Of two filters the stricter action counts, and a refusal is stricter than a notification (seccomp(2)). */
function isFilteredFirst({ control }: Attack, { outcome, change, errno }: Attempt): boolean {
  const byOther = control.kind === 'none' && outcome === 'refused' && errno !== control.errno
  return byOther && !change && (errno === 'EPERM' || errno === 'ENOSYS') && ownStatus('Seccomp') !== '0'
}

/** What the machine lacks it lacks in both modes; else read mode has only hidden the means, and proved nothing. */
async function evaluateImpossible(attack: Attack, attempt: Attempt, where: Circumstances): Promise<Verdict> {
  const reason = attempt.end.stdout.trim()
  const shown = where.controls && attack.control.kind !== 'none' ? await tryControl(attack, where) : attempt
  if (shown.outcome === 'cannot') return { verdict: 'skipped', detail: reason }
  return { verdict: 'vacuous', detail: `${reason}, but unsandboxed: ${say(shown)}` }
}

function tryControl(attack: Attack, where: Circumstances): Promise<Attempt> {
  const plain = attack.control.kind !== 'none' && attack.control.plain === true
  return tryOnce(attack, { ...where, run: plain ? where.plain : where.unsandboxed })
}

async function evaluateControl(attack: Attack, attempt: Attempt, where: Circumstances): Promise<Verdict> {
  const { control } = attack
  const held = (more: string): Verdict => ({ verdict: 'held', detail: `${say(attempt)}; ${more}` })
  if (control.kind === 'none') return held(`no control: ${control.reason}`)
  if (!where.controls) return held('its control is made with the network off')
  const missing = firstMissing(control.needs)
  if (missing) return held(`no control: ${missing}`)
  let shown = await tryControl(attack, where)
  // A race can be lost, and a look at processes that keep ending can miss them.
  for (let tries = 1; tries < 8 && unprovenBy(control, shown) && !excuseOf(control, shown); tries++)
    shown = await tryControl(attack, where)
  const unproven = unprovenBy(control, shown)
  if (!unproven) return held(`unsandboxed: ${say(shown)}`)
  const excuse = excuseOf(control, shown)
  if (!excuse) return { verdict: 'vacuous', detail: unproven }
  if (attempt.errno && attempt.errno !== shown.errno) return held(`that comes before ${excuse}`)
  return { verdict: 'skipped', detail: `refused in read mode, but not provable here: ${excuse}` }
}

/** Says why an attempt outside read mode proves nothing; null when it shows what the control promises. */
function unprovenBy(control: Control, attempt: Attempt): string | null {
  if (control.kind === 'change') return attempt.change ? null : `nothing changed (${say(attempt)})`
  return attempt.outcome === 'succeeded' ? null : `it did not succeed (${say(attempt)})`
}

/** Why this host itself refuses, where that is known. */
function excuseOf(control: Exclude<Control, { kind: 'none' }>, attempt: Attempt): string | null {
  if (attempt.outcome === 'cannot') return attempt.end.stdout.trim()
  if (!attempt.errno) return null
  const known = control.hostMayRefuse?.[attempt.errno] ?? UNKNOWN_HERE[attempt.errno]
  if (known) return `${attempt.errno}: ${known}`
  const filtered = attempt.errno === 'EPERM' && ownStatus('Seccomp') !== '0'
  return filtered ? "EPERM: these tests already run under a container's filter" : null
}

function say({ outcome, errno, end }: Attempt): string {
  if (errno) return errno
  const ending = end.signal ?? `exit code ${end.exitCode}`
  return `${outcome}, ${ending} ${end.stdout.slice(0, 300)}${end.stderr.slice(-300)}`.trim()
}
