import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isExecutable } from '../../helpers/programs.ts'

/** A shell that reads the language of `sh` in its own way. */
export interface TestShell {
  readonly name: 'bash' | 'dash' | 'ash'
  readonly argv: readonly [string, ...string[]]
}

const directories = (process.env['PATH'] ?? '/usr/bin:/bin').split(':')

function find(program: string): string | undefined {
  return directories.map((directory) => join(directory, program)).find(isExecutable)
}

/** The shells of this machine, and the names of those that are missing. */
export function findShells(): {
  readonly present: readonly TestShell[]
  readonly missing: readonly string[]
} {
  const wanted: readonly [TestShell['name'], string, readonly string[]][] = [
    ['bash', 'bash', ['--norc', '--noprofile']],
    ['dash', 'dash', []],
    ['ash', 'busybox', ['ash']],
  ]
  const present: TestShell[] = []
  const missing: string[] = []
  for (const [name, program, options] of wanted) {
    const path = find(program)
    if (path === undefined) missing.push(program)
    else present.push({ name, argv: [path, ...options] })
  }
  return { present, missing }
}

/** What a script did that no harmless script does. */
export interface Effect {
  readonly script: number
  readonly shell: TestShell['name']
  readonly what: string
}

const BATCH = 250
/** A loop that only starts programs uses hardly any processor time of its own: each half of its batch waits so long for it. */
const BATCH_TIMEOUT_MS = 10_000
const NOBODY = 65_534

/** Runs scripts and tells which ran a forbidden program, or gave one a forbidden argument, or changed the directory they ran in. */
export class Playground {
  readonly #root = mkdtempSync(join(tmpdir(), 'vitrine-fuzz-'))
  readonly #log = join(this.#root, 'log')
  readonly #programs = join(this.#root, 'programs')
  readonly #work = join(this.#root, 'work')
  #watch = true
  readonly #isRoot = process.getuid?.() === 0

  constructor() {
    chmodSync(this.#root, 0o755)
    mkdirSync(this.#programs)
    mkdirSync(this.#work)
    const dash = find('dash') ?? '/bin/sh'
    for (const name of ['zap', 'git', 'rg']) this.#record(join(this.#programs, name), dash)
    this.#record(join(this.#work, 'zap'), dash)
    writeFileSync(this.#log, '')
    chmodSync(this.#log, 0o666)
    if (this.#isRoot) chownSync(this.#work, NOBODY, NOBODY)
  }

  /** A program that only writes down how it was started. */
  #record(path: string, dash: string): void {
    const body = `#!${dash}
line=$FUZZ_ID\u001f\${0##*/}
for argument; do line=$line\u001f$argument; done
printf '%s\\036' "$line" >>${this.#log}
`
    writeFileSync(path, body, { mode: 0o755 })
  }

  remove(): void {
    rmSync(this.#root, { recursive: true, force: true })
  }

  /** Runs every script in a shell of its own. With `watch` the one that changed the directory is found, which takes longer. */
  async run(shell: TestShell, scripts: readonly string[], watch: boolean): Promise<Effect[]> {
    this.#watch = watch
    const effects: Effect[] = []
    for (let from = 0; from < scripts.length; from += BATCH)
      effects.push(...(await this.#batch(shell, scripts.slice(from, from + BATCH), from)))
    return effects
  }

  async #batch(shell: TestShell, scripts: readonly string[], from: number): Promise<Effect[]> {
    const before = this.#files()
    writeFileSync(this.#log, '')
    const driver = join(this.#root, 'driver')
    // A subshell for each: `eval` takes a string as `sh -c` does, through the same parser.
    const calls = scripts.map(
      (script, index) =>
        `FUZZ_ID=${from + index}\n(ulimit -t 1; eval ${quoted(script)}) </dev/null >/dev/null 2>&1\n`,
    )
    writeFileSync(driver, `export FUZZ_ID\nulimit -f 2000 -v 2000000 2>/dev/null\n${calls.join('')}`)
    const ended = await this.#spawn(shell, driver)
    if (!ended) return scripts.length === 1 ? [] : this.#halves(shell, scripts, from)
    const changed = this.#files() !== before
    this.#clean(before)
    if (changed && this.#watch && scripts.length > 1) return this.#halves(shell, scripts, from)
    const effects = this.#recorded(shell)
    return changed
      ? [...effects, { script: from, shell: shell.name, what: 'changed the directory' }]
      : effects
  }

  /** A batch that hung, or of which one script changed the directory, is run in parts. */
  async #halves(shell: TestShell, scripts: readonly string[], from: number): Promise<Effect[]> {
    const middle = Math.ceil(scripts.length / 2)
    const first = await this.#batch(shell, scripts.slice(0, middle), from)
    return [...first, ...(await this.#batch(shell, scripts.slice(middle), from + middle))]
  }

  async #spawn({ argv: [program, ...options] }: TestShell, driver: string): Promise<boolean> {
    const child = spawn(program, [...options, driver], {
      cwd: this.#work,
      env: { PATH: this.#programs, HOME: this.#work },
      stdio: 'ignore',
      detached: true,
      ...(this.#isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
    })
    const timer = setTimeout(() => killGroup(child), BATCH_TIMEOUT_MS)
    const [, signal] = await once(child, 'exit')
    clearTimeout(timer)
    killGroup(child)
    return signal !== 'SIGKILL'
  }

  #files(): string {
    return readdirSync(this.#work).sort().join('\0')
  }

  #clean(before: string): void {
    const known = new Set(before.split('\0'))
    for (const name of readdirSync(this.#work))
      if (!known.has(name)) rmSync(join(this.#work, name), { recursive: true, force: true })
  }

  #recorded({ name: shell }: TestShell): Effect[] {
    const lines = readFileSync(this.#log, 'utf8')
      .split('\u001e')
      .filter((line) => line !== '')
    return lines.flatMap((line) => {
      const [id = '', program = '', ...args] = line.split('\u001f')
      if (!isForbidden(program, args)) return []
      return [{ script: Number(id), shell, what: [program, ...args].join(' ') }]
    })
  }
}

/** Arguments by which the recorded programs would write or run something. */
function isForbidden(program: string, args: readonly string[]): boolean {
  if (program === 'zap') return true
  if (program === 'git') return args[0] === 'push' || args[0] === '-c'
  return args.some((argument, index) => argument.startsWith('--pre') && !args.slice(0, index).includes('--'))
}

function quoted(script: string): string {
  return `'${script.replaceAll("'", "'\\''")}'`
}

/** Ends what the shell left running: it leads a process group of its own. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
