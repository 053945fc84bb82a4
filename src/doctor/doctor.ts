import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { errorCode, errorText, unlessSystemError } from '../base/errno.ts'
import { toolPath } from '../base/program-path.ts'
import { words } from '../base/text.ts'
import {
  type Enforcement,
  type HostSupport,
  hostSupport,
  loadConfig,
  openShell,
  type Shell,
  type VitrineError,
} from '../internal.ts'
import { trapWords } from '../messages/cli/traps.ts'
import { isVitrineError } from '../messages/error.ts'
import { checkOf } from './attempt.ts'
import type { Check, CheckContext, CheckResult } from './check.ts'
import type { CheckSettings, Diagnosis, Finding } from './diagnosis.ts'
import { fileAttempts } from './files.ts'
import { kernelAttempts } from './kernel.ts'
import { limitChecks } from './limits.ts'
import { outsideChecks } from './outside.ts'
import { privateTmpAttempts, privateTmpRemoved } from './private-tmp.ts'
import { processAttempts } from './processes.ts'
import { readAttempts } from './reads.ts'
import { denialReported } from './reports.ts'
import { ownSocketsAllowed, socketAttempts } from './sockets.ts'
import { readSystem, type System } from './system.ts'
import { trapsOf } from './traps.ts'
import { makeWorkspace, workspaceAttempts, workspaceChecks } from './workspace.ts'

/** In the order in which they run; `findings` sorts their rows as `Enforcement` does. */
const checks: readonly Check[] = [
  ...limitChecks,
  ...[
    ...fileAttempts,
    ...privateTmpAttempts,
    ...readAttempts,
    ...socketAttempts,
    ...processAttempts,
    ...kernelAttempts,
    ...workspaceAttempts,
  ].map(checkOf),
  ...outsideChecks,
  denialReported,
  privateTmpRemoved,
  ownSocketsAllowed,
  ...workspaceChecks,
]

/** How to start vitrine, where to work, and in which environment. */
export type CheckSetup = Pick<CheckContext, 'program' | 'directory' | 'env'>

export type OnTry = (name: string, at: number, of: number) => void

/** Tries every right in a temporary directory, in both modes. `program` starts vitrine. */
export async function diagnose(program: CheckSetup['program'], onTry: OnTry = () => {}): Promise<Diagnosis> {
  // Inside read mode, for example, none can be made.
  const directory = unlessSystemError(() => mkdtempSync(join(tmpdir(), 'vitrine-doctor-')))
  const home = directory ?? '/nonexistent'
  const setup = { program, directory: home, env: ownEnvironment(home) }
  try {
    return await diagnoseIn(setup, directory !== undefined, onTry)
  } finally {
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true })
  }
}

/** What attempts need besides PATH. The rest could make their programs run code of the project: NODE_OPTIONS, PYTHONPATH, LD_PRELOAD. */
const passed = words('HOME USER LOGNAME LANG LC_ALL TZ TERM TMPDIR XDG_RUNTIME_DIR DBUS_SESSION_BUS_ADDRESS')

/** The host is diagnosed, not the user's configuration. Attempts run in write mode, too: with the system's programs only. */
function ownEnvironment(directory: string): NodeJS.ProcessEnv {
  const named = Object.entries(process.env).filter(([name]) => passed.includes(name))
  return {
    ...Object.fromEntries(named),
    PATH: toolPath,
    XDG_CONFIG_HOME: directory,
    XDG_STATE_HOME: directory,
  }
}

async function diagnoseIn(setup: CheckSetup, canTry: boolean, onTry: OnTry): Promise<Diagnosis> {
  const opened = await openReadMode(canTry ? setup : { ...setup, directory: '/' })
  const refusal = isVitrineError(opened) ? opened.refusal : undefined
  if (refusal && refusal.code !== 'SANDBOX_UNAVAILABLE') throw opened
  const rights = refusal || !canTry ? [] : await findings('read', setup, onTry)
  if (!isVitrineError(opened)) await opened.close()
  return report({ system: readSystem(), host: hostSupport(), unavailable: refusal, rights })
}

export interface Findings {
  readonly system: System
  readonly host: HostSupport
  readonly unavailable: Diagnosis['unavailable'] | undefined
  readonly rights: readonly Finding[]
}

export function report({ system, host, unavailable, rights }: Findings): Diagnosis {
  const found = { system, host, available: unavailable === undefined }
  const traps = trapsOf(found).map((trap) => ({ ...trap, ...trapWords(trap, found) }))
  const verdict = unavailable ? 'unavailable' : verdictOf(rights)
  return { version: 1, ...system, host, traps, ...(unavailable && { unavailable }), rights, verdict }
}

/** Not needed for read mode: denial reports are no right of the host, and the others are what commands may do. */
const beside: readonly string[] = ['denial reports', 'workspace', 'own sockets']

function verdictOf(rights: readonly Finding[]): Diagnosis['verdict'] {
  if (rights.some(({ state }) => state === 'open')) return 'not-enforced'
  if (!rights.some(({ state }) => state === 'enforced')) return 'untried'
  return rights.some(({ right, state }) => state === 'lacking' && !beside.includes(right))
    ? 'partly'
    : 'enforced'
}

async function openReadMode(setup: CheckSetup): Promise<Shell | VitrineError> {
  try {
    return await open('read', setup, {})
  } catch (error) {
    if (isVitrineError(error)) return error
    throw error
  }
}

/** `[shell] mode` of the settings replaces read mode. */
async function open(
  held: 'read' | 'write',
  { directory, env }: CheckSetup,
  settings: CheckSettings,
): Promise<Shell> {
  const isWorkspace = settings['shell.mode'] === 'workspace'
  const cwd = isWorkspace ? makeWorkspace(directory) : directory
  const mode = isWorkspace && held === 'read' ? 'workspace' : held
  const flags = Object.entries(settings).map(([key, value]) => [key, { value, from: 'vitrine doctor' }])
  const config = await loadConfig({ cwd, env, flags: Object.fromEntries(flags) })
  return openShell({ cwd, env, mode, config })
}

/** `held` is the mode that should enforce. */
export async function findings(
  held: 'read' | 'write',
  setup: CheckSetup,
  onTry: OnTry = () => {},
): Promise<Finding[]> {
  const found: Finding[] = []
  const shells = new Shells(held, setup)
  for (const [index, check] of checks.entries()) {
    const directory = join(setup.directory, String(index))
    mkdirSync(directory)
    onTry(check.name, index + 1, checks.length)
    found.push(await findingOf(check, { ...setup, directory }, shells))
  }
  const { enforcement } = (await shells.with({})).read
  await shells.close()
  const order = Object.keys(enforcement)
  const place = (right: string) => (order.includes(right) ? order.indexOf(right) : order.length)
  return [...found, ...withoutAttempt(enforcement, found)]
    .map((finding) => ({ ...finding, said: gist(finding.said) }))
    .sort((a, b) => place(a.right) - place(b.right))
}

/** A setting that this host refuses is reported as lacking, with the reason. */
async function findingOf(check: Check, setup: CheckSetup, shells: Shells): Promise<Finding> {
  const { right, name, settings } = check
  try {
    return await make(check, { ...setup, ...(await shells.with(settings ?? {})) })
  } catch (error) {
    if (!isVitrineError(error) || error.code !== 'SANDBOX_UNAVAILABLE') throw error
    const [said = ''] = error.message.split('\n') // the next line says what to do
    return { right, by: 'none', attempt: name, ...(settings && { settings }), state: 'lacking', said }
  }
}

async function make({ right, name, settings, run }: Check, context: CheckContext): Promise<Finding> {
  const by = context.read.enforcement[right]?.by ?? 'none'
  const seen = expected(await madeOf(run(context)), context.read.enforcement[right])
  return { right, by, attempt: name, ...(settings && { settings }), ...seen }
}

/** An open right is lacking, not a failure, if `Enforcement` does not claim it. */
function expected(seen: CheckResult, claimed: Enforcement[string] | undefined): CheckResult {
  if (seen.state !== 'open' || claimed === undefined || claimed.enforced) return seen
  return { state: 'lacking', said: claimed.note ?? seen.said }
}

/** If the system provides no socket or process for the attempt, it proves nothing. */
async function madeOf(running: Promise<CheckResult>): Promise<CheckResult> {
  try {
    return await running
  } catch (error) {
    if (errorCode(error) !== undefined) return { state: 'untried', said: errorText(error) }
    throw error
  }
}

/** The shells of each kind of settings, opened once. */
class Shells {
  readonly #open = new Map<string, Pick<CheckContext, 'read' | 'write'>>()
  readonly #held: 'read' | 'write'
  readonly #setup: CheckSetup

  constructor(held: 'read' | 'write', setup: CheckSetup) {
    this.#held = held
    this.#setup = setup
  }

  async with(settings: CheckSettings): Promise<Pick<CheckContext, 'read' | 'write'>> {
    const name = JSON.stringify(settings)
    const pair = this.#open.get(name) ?? {
      read: await open(this.#held, this.#setup, settings),
      write: await open('write', this.#setup, settings),
    }
    this.#open.set(name, pair)
    return pair
  }

  async close(): Promise<void> {
    for (const { read, write } of this.#open.values()) {
      await read.close()
      await write.close()
    }
  }
}

/** Rights without an attempt: not enforced here, or not possible to try without harm. */
function withoutAttempt(enforcement: Enforcement, found: readonly Finding[]): Finding[] {
  const tried = new Set(found.map(({ right }) => right))
  return Object.entries(enforcement)
    .filter(([right]) => !tried.has(right))
    .map(([right, { enforced, by, note = '' }]) =>
      enforced ? { right, by, state: 'untried', said: '' } : { right, by, state: 'lacking', said: note },
    )
}

const reason = /\bE[A-Z]{3,}\b|[Dd]enied|[Nn]ot (permitted|found|implemented)|[Rr]ead-only|[Ii]nvalid/

/** The line that gives the reason; a program that ends with a stack trace has it in the middle. */
function gist(said: string): string {
  const lines = said.split('\n').map((line) => line.trim())
  const filled = lines.filter((line) => line !== '')
  return filled.find((line) => reason.test(line)) ?? filled.at(-1) ?? ''
}
