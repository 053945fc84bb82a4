import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createInterface } from 'node:readline'
import type { Denial, RightEnforcement } from '../../base/types.ts'
import { logEnded, macosNotes } from '../../messages/sandbox/macos.ts'
import { enforced, notEnforced } from '../enforcement.ts'
import { denialOf, readReport } from './report.ts'

/** Milliseconds to wait for denials after a command's end: at most in total, and after the last one. */
const maxWaitMs = 200
const silenceMs = 40
/** Rows per command; further kinds are summed up in one extra row. */
const maxRows = 64

interface Logged {
  /** The message of the rules in its profile; unique to the command. */
  readonly tag: string
  /** The command's denials. If some are expected, waits briefly for what the log has not delivered yet. */
  denials(expected: boolean): Promise<readonly Denial[]>
}

/** From the system log. If it cannot be read there are none, and `enforcement` says why. */
export interface DenialLog {
  begin(): Logged
  enforcement(): RightEnforcement
  close(): void
}

interface Rows {
  readonly byWhat: Map<string, Denial>
  heard(): void
}

/** The running log(1) processes: killed when this process exits. */
const readers = new Set<ChildProcess>()
const endReaders = () => {
  for (const reader of readers) reader.kill('SIGKILL')
}

/** Starts reading the log with `tool`, which is log(1). */
export function openDenialLog(tool: string): DenialLog {
  const prefix = randomBytes(8).toString('hex')
  const commands = new Map<string, Rows>()
  let begun = 0
  const reader = new LogReader(tool, prefix, (line) => {
    const report = readReport(line)
    const rows = report && commands.get(report.tag)
    const denial = report && denialOf(report)
    if (rows && denial) count(rows, denial)
  })
  return {
    begin() {
      const tag = `${prefix}x${begun++}`
      const rows: Rows = { byWhat: new Map(), heard: () => {} }
      commands.set(tag, rows)
      return {
        tag,
        async denials(expected) {
          if (expected && reader.missing === undefined) await silence(rows)
          commands.delete(tag)
          return [...rows.byWhat.values()]
        },
      }
    },
    enforcement: () =>
      reader.missing === undefined
        ? enforced('log stream', macosNotes.reportsWithin(maxWaitMs))
        : notEnforced(macosNotes.reportsLost(reader.missing)),
    close: () => reader.close(),
  }
}

function count({ byWhat, heard }: Rows, denial: Denial): void {
  const { operation, path, address, syscall } = denial
  const fits = JSON.stringify([operation, path, address, syscall])
  const key = byWhat.has(fits) || byWhat.size < maxRows ? fits : ''
  const row = byWhat.get(key)
  if (row) byWhat.set(key, { ...row, count: row.count + denial.count })
  else if (key !== '') byWhat.set(key, denial)
  else byWhat.set(key, { operation: 'other', syscall: '', pid: denial.pid, program: '', count: denial.count })
  heard()
}

/** Waits until no more denials arrive. */
function silence(rows: Rows): Promise<void> {
  return new Promise((resolve) => {
    const longest = setTimeout(resolve, maxWaitMs)
    let quiet: NodeJS.Timeout | undefined
    rows.heard = () => {
      clearTimeout(quiet)
      quiet = setTimeout(() => {
        clearTimeout(longest)
        resolve()
      }, silenceMs)
    }
    if (rows.byWhat.size > 0) rows.heard()
  })
}

/** Runs `log stream`, filtered by the prefix of one shell's profiles. It does not keep this process alive. */
class LogReader {
  /** Why nothing can be read, once known. */
  missing: string | undefined
  readonly #child: ChildProcess

  constructor(tool: string, prefix: string, onLine: (line: string) => void) {
    // Only the kernel's: a command could write to the log. Older systems name the sender, newer the
    // subsystem.
    const bySandbox = '(senderImagePath CONTAINS "/Sandbox" OR subsystem == "com.apple.sandbox.reporting")'
    const predicate = `processID == 0 AND ${bySandbox} AND eventMessage CONTAINS "${prefix}"`
    const args = ['stream', '--style', 'ndjson', '--predicate', predicate]
    const child = spawn(tool, args, { stdio: ['ignore', 'pipe', 'pipe'], env: {} })
    this.#child = child
    let errors = ''
    child.stderr.on('data', (chunk: Buffer) => {
      errors = `${errors}${chunk}`.slice(-200)
    })
    child.once('error', ({ message }) => this.#ended(message))
    child.once('close', (code) => this.#ended(errors.trim() || logEnded(tool, code)))
    createInterface({ input: child.stdout }).on('line', onLine)
    letGo(child)
    if (readers.size === 0) process.once('exit', endReaders)
    readers.add(child)
  }

  close(): void {
    this.#child.kill('SIGKILL')
  }

  #ended(why: string): void {
    this.missing ??= why
    readers.delete(this.#child)
    if (readers.size === 0) process.off('exit', endReaders)
  }
}

function letGo(child: ChildProcess): void {
  child.unref()
  // A child's pipes are sockets and can be unref'ed; their declared type is a plain stream.
  for (const pipe of [child.stdout, child.stderr])
    if (pipe && 'unref' in pipe && typeof pipe.unref === 'function') pipe.unref()
}
