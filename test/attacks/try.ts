import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Attack, Command, Inherited, Programs, Target } from './attack.ts'

/** One process to start, and what to call at each piece of its output. */
interface Start {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly stdin: number | null
  readonly pty: boolean
  readonly onOutput: (text: string) => void
}

/** How it ended. */
export interface End {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
  readonly timedOut: boolean
}

/** Something that runs commands: a shell in read mode, in write mode, or plain child_process. */
export type Run = (start: Start) => Promise<End>

/** What one attempt showed. */
export interface Attempt {
  readonly end: End
  /** The program's own word for it. A script has only its exit code. */
  readonly outcome: 'succeeded' | 'refused' | 'cannot' | 'ended by a signal' | 'did not run'
  /** The errno that a program printed. */
  readonly errno: string | null
  /** What differs from before, as text; null when nothing does. */
  readonly change: string | null
}

const scripts = { sh: ['sh', '-c'], python3: ['python3', '-c'], node: [process.execPath, '-e'] } as const

function fill(text: string, offers: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, word: string) => offers[word] ?? whole)
}

function argvOf(command: Command, programs: Programs, offers: Readonly<Record<string, string>>): string[] {
  if ('script' in command) return [...scripts[command.script], fill(command.text, offers)]
  return [
    programs[command.program] ?? '',
    command.attempt,
    ...command.arguments.map((word) => fill(word, offers)),
  ]
}

function outcomeOf(command: Command, end: End): Attempt['outcome'] {
  if (end.signal) return 'ended by a signal'
  if (end.exitCode === 0) return 'succeeded'
  if ('script' in command) return end.exitCode === 127 ? 'did not run' : 'refused'
  if (end.stdout.startsWith('cannot: ')) return 'cannot'
  return end.stdout.startsWith('errno ') ? 'refused' : 'did not run'
}

/** Text for the reader: bigints and buffers as they print. */
function show(value: unknown): string {
  return JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? String(part) : part)) ?? 'undefined'
}

/** Cuts two long texts down to where they begin to differ. */
function difference(before: unknown, after: unknown): string | null {
  if (isDeepStrictEqual(before, after)) return null
  const [left, right] = [show(before), show(after)]
  let at = 0
  while (at < left.length && left[at] === right[at]) at++
  const from = Math.max(0, at - 80)
  return `before ...${left.slice(from, at + 80)}... after ...${right.slice(from, at + 80)}...`
}

/** Where an attempt is made from: programs, what stands open, and what runs the command. */
export interface Means {
  readonly programs: Programs
  readonly inherited: Inherited | null
  readonly run: Run
}

/** Makes a fresh target, tries the attack once, looks whether anything changed, and clears up. */
export async function tryOnce(attack: Attack, means: Means): Promise<Attempt> {
  const directory = mkdtempSync(join(tmpdir(), 'vitrine-attack-'))
  try {
    const target = await attack.target({ directory, programs: means.programs, inherited: means.inherited })
    return await tryOn(target, directory, attack, means).finally(() => target.dispose())
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

async function tryOn(target: Target, directory: string, attack: Attack, means: Means): Promise<Attempt> {
  const release = join(directory, 'release')
  const offers: Readonly<Record<string, string>> = { release, ...target.offers }
  const { directory: cwd = directory } = offers
  const before = await target.observe()
  let during: Promise<unknown> | null = null
  const isHeld = 'arguments' in attack.command && attack.command.arguments.includes('{release}')
  // A holder of locks prints a line and waits: it is looked at now, and let go.
  const onOutput = (text: string) => {
    if (during || !isHeld || !text.startsWith('ok')) return
    during = Promise.resolve(target.observe())
    during.finally(() => writeFileSync(release, '')).catch(() => {}) // awaited below, where it throws
  }
  const argv = argvOf(attack.command, means.programs, offers)
  const given = attack.stdin
  const stdin = given && openSync(fill(given.path, offers), given.flags)
  const end = await means
    .run({ argv, cwd, stdin, pty: attack.pty, onOutput })
    .finally(() => stdin === null || closeSync(stdin))
  const after = during ? await during : await target.observe()
  return {
    end,
    outcome: outcomeOf(attack.command, end),
    errno: /^errno (\w+)/.exec(end.stdout)?.[1] ?? null,
    change: difference(before, after),
  }
}
