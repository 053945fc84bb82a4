import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Inherited, Programs, Report } from './attack.ts'
import { everyAttack } from './attacks.ts'
import { type Circumstances, evaluate } from './evaluate.ts'
import type { End, Run } from './try.ts'

/** What the runner reads from its standard input. */
export interface Errand {
  /** Absolute path of the built library. */
  readonly library: string
  readonly programs: Programs
  /** The mode that must hold. */
  readonly mode: 'read' | 'workspace'
  readonly network: boolean
  /** Whether each attempt is also made unsandboxed. Once for each user is enough: the network makes no difference. */
  readonly controls: boolean
  readonly inherited: Inherited | null
  /** The full names of the rows to try. */
  readonly rows: readonly string[]
}

type Library = typeof import('../../src/index.ts')
type Result = import('../../src/index.ts').Result
type Shell = Awaited<ReturnType<Library['openShell']>>

/** An attempt waits for nothing but the look at its locks. The races make thousands of calls, which take long on a busy machine. */
const DEADLINE_MS = 90_000

function throughShell(shell: Shell): Run {
  return async ({ argv, cwd, stdin, pty, onOutput }) => {
    const given = stdin === null ? {} : { stdin }
    const request = { argv, cwd, timeoutMs: DEADLINE_MS, ...given }
    const options = { onOutput: (_: string, chunk: Buffer) => onOutput(String(chunk)) }
    const ran = pty ? inTerminal(shell, { argv, cwd }, options) : shell.execute(request, options)
    const result = await ran.catch(refusedInput)
    const { exitCode, signal, stdout, stderr, timedOut } = result
    return { exitCode, signal, stdout, stderr, timedOut }
  }
}

async function inTerminal(
  shell: Shell,
  request: { readonly argv: readonly string[]; readonly cwd: string },
  options: Parameters<Shell['start']>[1],
): Promise<Result> {
  const started = await shell.start({ ...request, timeoutMs: DEADLINE_MS, pty: true }, options)
  return started.result
}

/** A descriptor that something could be changed through is not handed over: the attempt ends before it begins. */
function refusedInput(error: unknown): End {
  const refused = error instanceof Error && 'code' in error && error.code === 'INVALID_REQUEST'
  if (!refused || !error.message.includes('"stdin"')) throw error
  return {
    exitCode: 1,
    signal: null,
    stdout: 'errno INVALID_REQUEST',
    stderr: error.message,
    timedOut: false,
  }
}

/** What every program gets that knows nothing of vitrine: open descriptors without close-on-exec included. */
const throughChildProcess: Run = ({ argv, cwd, stdin, onOutput }) =>
  new Promise<End>((resolve, reject) => {
    const [program = '', ...rest] = argv
    const child = spawn(program, rest, { cwd, stdio: [stdin ?? 'ignore', 'pipe', 'pipe'] })
    const texts = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const)
      child[name]?.setEncoding('utf8').on('data', (text: string) => {
        texts[name] += text
        onOutput(text)
      })
    child.on('error', reject)
    child.on('close', (exitCode, signal) => resolve({ exitCode, signal, ...texts, timedOut: false }))
  })

function say(report: Report): void {
  process.stdout.write(`${JSON.stringify(report)}\n`)
}

/** A row that throws is broken, and says why; the others go on. */
async function reportOn(row: ReturnType<typeof everyAttack>[number], where: Circumstances): Promise<Report> {
  try {
    return { name: row.name, ...(await evaluate(row.attack, where)) }
  } catch (error) {
    return {
      name: row.name,
      verdict: 'broken',
      detail: error instanceof Error ? (error.stack ?? '') : String(error),
    }
  }
}

/** Opens shells for the mode that must hold and one for write mode, and tries the table row by row. */
async function run(errand: Errand): Promise<void> {
  const { openShell } = (await import(pathToFileURL(errand.library).href)) as Library
  const { mode, network, controls, programs, inherited, rows } = errand
  const cwd = mkdtempSync(join(tmpdir(), 'vt-work-'))
  const reading = await openShell({ mode, network, cwd })
  const writable = await openShell({ mode, network, cwd, privateTmp: true })
  const writing = await openShell({ mode: 'write' })
  const where: Circumstances = {
    network,
    controls,
    programs,
    inherited,
    sandboxed: throughShell(reading),
    sandboxedWithTmp: throughShell(writable),
    unsandboxed: throughShell(writing),
    plain: throughChildProcess,
  }
  for (const row of everyAttack()) if (rows.includes(row.name)) say(await reportOn(row, where))
  await reading.close()
  await writable.close()
  await writing.close()
  rmSync(cwd, { recursive: true })
}

await run(JSON.parse(readFileSync(0, 'utf8')) as Errand)
