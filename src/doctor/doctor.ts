import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { errorCode, errorText, tried } from '../base/errno.ts'
import { toolPath } from '../base/paths.ts'
import { words } from '../base/text.ts'
import { type Enforcement, hostSupport, loadConfig, openShell, type Shell } from '../internal.ts'
import { isVitrineError } from '../messages/error.ts'
import type { Attempt, CheckSettings, Context, Diagnosis, Finding, Seen } from './attempt.ts'
import { attempts } from './attempts.ts'
import { readSystem, trapsOf } from './system.ts'

type Setup = Pick<Context, 'program' | 'directory' | 'env'>

type OnTry = (name: string, at: number, of: number) => void

/** Tries every right in a temporary directory, in both modes. `program` starts vitrine. */
export async function diagnose(program: Setup['program'], onTry?: OnTry): Promise<Diagnosis> {
  // Inside read mode, for example, none can be made.
  const made = tried(() => mkdtempSync(join(tmpdir(), 'vitrine-doctor-')))
  const directory = made ?? '/'
  const setup = { program, directory, env: ownEnvironment(made ?? '/nonexistent') }
  try {
    const unavailable = await whyUnavailable(setup)
    const rights = unavailable || made === undefined ? [] : await findings('read', setup, onTry)
    const [system, host] = [readSystem(), hostSupport()]
    const verdict = unavailable ? 'unavailable' : verdictOf(rights)
    const traps = trapsOf({ system, host, unavailable })
    return { version: 1, ...system, host, traps, ...(unavailable && { unavailable }), rights, verdict }
  } finally {
    if (made !== undefined) rmSync(made, { recursive: true, force: true })
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

async function whyUnavailable(setup: Setup): Promise<Diagnosis['unavailable']> {
  try {
    await (await open('read', setup, {})).close()
    return undefined
  } catch (error) {
    if (isVitrineError(error) && error.refusal.code === 'SANDBOX_UNAVAILABLE') return error.refusal
    throw error
  }
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

/** `[shell] mode` of the settings replaces read mode. Settings about a workspace get one beside the attempts. */
async function open(held: 'read' | 'write', setup: Setup, settings: CheckSettings): Promise<Shell> {
  const { env } = setup
  const flags = Object.entries(settings).map(([key, value]) => [key, { value, from: 'vitrine doctor' }])
  const inWorkspace = Object.values(settings).includes('workspace')
  const cwd = inWorkspace ? join(setup.directory, 'workspace') : setup.directory
  // It ends the search for a repository.
  if (inWorkspace) mkdirSync(join(cwd, '.git'), { recursive: true })
  const mode = held === 'read' && settings['shell.mode'] === 'workspace' ? 'workspace' : held
  const config = await loadConfig({ cwd, env, flags: Object.fromEntries(flags) })
  return openShell({ cwd, env, mode, config })
}

/** `held` is the mode that should enforce. */
export async function findings(held: 'read' | 'write', setup: Setup, onTry?: OnTry): Promise<Finding[]> {
  const write = await open('write', setup, {})
  const found: Finding[] = []
  for (const [right, attempt] of Object.entries(attempts)) {
    onTry?.(attempt.name, found.length + 1, Object.keys(attempts).length)
    const directory = join(setup.directory, String(found.length))
    mkdirSync(directory)
    found.push(await findingOf(right, attempt, held, setup, { ...setup, directory, write }))
  }
  const read = await open(held, setup, {})
  const others = withoutAttempt(read.enforcement)
  await Promise.all([read.close(), write.close()])
  return [...found, ...others]
}

/** A setting that this host refuses is reported as lacking, with the reason. */
async function findingOf(
  right: string,
  { name, settings, run }: Attempt,
  held: 'read' | 'write',
  setup: Setup,
  context: Omit<Context, 'read'>,
): Promise<Finding> {
  const tried = { right, attempt: name, ...(settings && { settings }) }
  try {
    const read = await open(held, setup, settings ?? {})
    const claimed = read.enforcement[right]
    const { state, said } = judged(await seenBy(run({ ...context, read })), claimed)
    await read.close()
    return { ...tried, by: claimed?.by ?? 'none', state, said: gist(said) }
  } catch (error) {
    if (!isVitrineError(error) || error.code !== 'SANDBOX_UNAVAILABLE') throw error
    return { ...tried, by: 'none', state: 'lacking', said: error.message.split('\n', 1)[0] ?? '' }
  }
}

/** An open right is lacking, not a failure, if `Enforcement` does not claim it. */
function judged(seen: Seen, claimed: Enforcement[string] | undefined): Seen {
  if (seen.state === 'lacking') return { ...seen, said: claimed?.note ?? seen.said }
  if (seen.state !== 'open' || claimed === undefined || claimed.enforced) return seen
  return { state: 'lacking', said: claimed.note ?? seen.said }
}

/** If the system provides no socket or process for the attempt, it proves nothing. */
async function seenBy(running: Promise<Seen>): Promise<Seen> {
  try {
    return await running
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return { state: 'untried', said: errorText(error) }
  }
}

/** Rights without an attempt: not enforced here, or not possible to try without harm. */
function withoutAttempt(enforcement: Enforcement): Finding[] {
  return Object.entries(enforcement)
    .filter(([right]) => !(right in attempts))
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
