import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Inherited, Programs } from './attack.ts'
import { everyAttack } from './attacks.ts'
import { broken, type Circumstances, evaluate } from './evaluate.ts'
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
type Shell = Awaited<ReturnType<Library['openShell']>>

/** An attempt waits for nothing but the look at its locks. The races make thousands of calls, which take long on a busy machine. */
const DEADLINE_MS = 90_000

function throughShell(shell: Shell): Run {
  return async ({ argv, cwd, stdin, pty, onOutput }) => {
    const request = { argv, cwd, timeoutMs: DEADLINE_MS }
    const options = { onOutput: (_: string, chunk: Buffer) => onOutput(String(chunk)) }
    const ran = pty
      ? shell.start({ ...request, pty: true }, options).then(({ result }) => result)
      : shell.execute(stdin === null ? request : { ...request, stdin }, options)
    const { exitCode, signal, stdout, stderr, timedOut } = await ran.catch(refusedInput)
    return { exitCode, signal, stdout, stderr, timedOut }
  }
}

/** A descriptor that something could be changed through is not handed over: the attempt ends before it begins. */
function refusedInput(error: unknown): End {
  const refused = error instanceof Error && 'code' in error && error.code === 'INVALID_REQUEST'
  if (!refused || !error.message.includes('"stdin"')) throw error
  const stdout = 'errno INVALID_REQUEST'
  return { exitCode: 1, signal: null, stdout, stderr: error.message, timedOut: false }
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
  for (const { name, attack } of everyAttack().filter((row) => rows.includes(row.name))) {
    // A row that throws is broken, and says why; the others go on.
    const report = await evaluate(attack, where).catch(broken)
    process.stdout.write(`${JSON.stringify({ name, ...report })}\n`)
  }
  await reading.close()
  await writable.close()
  await writing.close()
  rmSync(cwd, { recursive: true })
}

await run(JSON.parse(readFileSync(0, 'utf8')) as Errand)
