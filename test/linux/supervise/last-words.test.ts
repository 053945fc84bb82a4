import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Result } from '../../../src/base/types.ts'
import type { Shell } from '../../../src/shell.ts'
import { makeDirectory, openTestShell } from '../../helpers/place.ts'
import { waitFor } from '../../helpers/processes.ts'

/** The grace ends with the command, however long a busy machine takes over it. */
const patient = '[shell]\nkill_grace_ms = 60000\n'

/** Runs it with a later deadline until it has begun when that comes; returns what it gave then. */
async function untilBegun<T>(
  run: (timeoutMs: number) => Promise<T>,
  hasBegun: (given: T) => boolean,
): Promise<T> {
  for (let timeoutMs = 300; ; timeoutMs *= 2) {
    const given = await run(timeoutMs)
    if (hasBegun(given) || timeoutMs > 60_000) return given
  }
}

/** What becomes of an interactive shell in a terminal that is typed a line, at its deadline. */
async function typedAtDeadline(shell: Shell, line: string): Promise<Result> {
  const inTerminal = async (timeoutMs: number) => {
    let said = ''
    const onOutput = (_stream: unknown, bytes: Uint8Array) => {
      said += Buffer.from(bytes).toString()
    }
    const pty = await shell.start({ argv: ['sh', '-i'], pty: true, timeoutMs }, { onOutput })
    pty.write(`${line}\n`)
    return { result: await pty.result, said }
  }
  return (await untilBegun(inTerminal, ({ said }) => said.includes('begun'))).result
}

const linux = describe.runIf(process.platform === 'linux')

linux.each(['read', 'write'] as const)('at the deadline of a command of %s mode', (mode) => {
  it('one that has stopped itself is continued, and its trap runs', async () => {
    const command = `trap 'echo bye; exit 3' TERM; echo begun; kill -STOP $$; echo no`
    const shell = await openTestShell({ mode, toml: patient })
    const run = (timeoutMs: number) => shell.execute({ command, timeoutMs })
    const ended = await untilBegun(run, ({ stdout }) => stdout.startsWith('begun\n'))
    const { stdout, exitCode, timedOut } = ended
    expect({ stdout, exitCode, timedOut }).toEqual({ stdout: 'begun\nbye\n', exitCode: 3, timedOut: true })
  })

  it('an interactive shell, which ignores SIGTERM, gets SIGHUP', async () => {
    const shell = await openTestShell({ mode, toml: patient })
    const { outcome, signal } = await typedAtDeadline(shell, 'trap "" TERM; echo beg""un')
    expect([outcome.kind, signal]).toEqual(['timed-out', 'SIGHUP'])
  })
})

linux('at the deadline in a terminal', () => {
  it('the job in the foreground gets SIGTERM, though the shell around it ignores it', async () => {
    const cwd = makeDirectory()
    const shell = await openTestShell({ mode: 'write', cwd, toml: '[shell]\nkill_grace_ms = 15000\n' })
    const job = `trap "" HUP; trap ": > got; exit" TERM; echo beg""un; while :; do :; done`
    await typedAtDeadline(shell, `sh -c '${job}'`)
    expect(existsSync(join(cwd, 'got'))).toBe(true)
  })
})

linux('what lives on in write mode', () => {
  it('can write on to an output that is read no more', async () => {
    const cwd = makeDirectory()
    const shell = await openTestShell({ mode: 'write', cwd })
    const waiting = 'while [ ! -e go ]; do sleep 0.05; done'
    const command = `(${waiting}; echo more; echo more >&2; : > done) & echo first`
    const { stdout, background } = await shell.execute({ command })
    expect(stdout).toBe('first\n')
    expect(background?.count).toBeGreaterThan(0)
    writeFileSync(join(cwd, 'go'), '')
    expect(await waitFor(() => existsSync(join(cwd, 'done')))).toBe(true)
  })
})

linux('a listener that is not done with the output', () => {
  it('makes the command wait, in bounded memory', async () => {
    const cwd = makeDirectory()
    const shell = await openTestShell({ mode: 'write', cwd })
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    let offered = 0
    const running = shell.execute(
      { command: 'head -c 50000000 /dev/zero; : > finished' },
      {
        onOutput: (_stream, bytes) => {
          offered += bytes.length
          return released
        },
      },
    )
    let before = -1
    // It stands still: two looks in a row see the same.
    await waitFor(() => {
      const same = offered === before && offered > 0
      before = offered
      return same
    })
    expect(offered).toBeLessThan(10_000_000)
    expect(existsSync(join(cwd, 'finished'))).toBe(false)
    release()
    expect(await running).toMatchObject({ exitCode: 0, bytes: 50_000_000 })
    expect(existsSync(join(cwd, 'finished'))).toBe(true)
  })
})
