import { describe, expect, it } from 'vitest'
import type { Mode } from '../../src/base/types.ts'
import type { Shell } from '../../src/shell.ts'
import { openTestShell } from '../helpers/place.ts'
import { allProcesses, waitFor } from '../helpers/processes.ts'
import { type Resources, resources } from '../helpers/resources.ts'

/** What the heap and the allocator may keep of some thousand commands. */
const memorySlack = 60e6

/** Node opens and closes a few descriptors and threads of its own; a leak would count in hundreds. */
const ownSlack = 5

async function inARow(shell: Shell, count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    const result = await shell.execute({ command: `echo ${at}; exit ${at % 7}` })
    if (result.stdout !== `${at}\n` || result.exitCode !== at % 7) throw new Error(JSON.stringify(result))
  }
}

async function atOnce(shell: Shell, count: number): Promise<void> {
  const numbers = Array.from({ length: count }, (_, at) => at)
  const results = await Promise.all(
    numbers.map((at) =>
      shell.execute({ command: `echo ${at}; sleep 0.05; echo end ${at} >&2`, timeoutMs: 60_000 }),
    ),
  )
  expect(results.map(({ stdout }) => Number(stdout))).toEqual(numbers)
  expect(results.map(({ stderr }) => stderr)).toEqual(numbers.map((at) => `end ${at}\n`))
}

function expectNoGrowth(before: Resources, after: Resources): void {
  expect(after.descriptors - before.descriptors).toBeLessThanOrEqual(ownSlack)
  expect(after.threads - before.threads).toBeLessThanOrEqual(ownSlack)
  expect(after).toMatchObject({ zombies: 0, children: 0, watchers: 1 })
  expect(after.memory - before.memory).toBeLessThan(memorySlack)
}

const batches: readonly { readonly mode: Mode; readonly inARow: number; readonly atOnce: number }[] = [
  { mode: 'read', inARow: 2000, atOnce: 200 },
  { mode: 'write', inARow: 500, atOnce: 100 },
]

describe.each(batches)('$mode mode: descriptors, threads, zombies and memory do not grow', (batch) => {
  it(`over ${batch.inARow} commands in a row`, async () => {
    const shell = await openTestShell({ mode: batch.mode })
    await inARow(shell, 200)
    const before = resources()
    await inARow(shell, batch.inARow)
    expectNoGrowth(before, resources())
  })

  it(`over ${batch.atOnce} commands at once, and again`, async () => {
    const shell = await openTestShell({ mode: batch.mode })
    await atOnce(shell, batch.atOnce)
    const before = resources()
    await atOnce(shell, batch.atOnce)
    await atOnce(shell, batch.atOnce)
    expectNoGrowth(before, resources())
  })

  it('over commands that fail in every way', async () => {
    const shell = await openTestShell({
      mode: batch.mode,
      toml: '[output]\nmax_bytes = 20000\n[shell]\nkill_grace_ms = 0\n',
    })
    const ways = async () => {
      await shell.execute({ argv: ['no-such-program'] }).catch(() => {})
      await shell
        .execute({ argv: ['true', 'x'.repeat(131_071), ...Array(40).fill('x'.repeat(131_000))] })
        .catch(() => {})
      await shell.execute({ command: 'yes' })
      await shell.execute({ command: 'sleep 20', timeoutMs: 1 })
      await shell.execute({ command: 'cat', stdin: 'x'.repeat(10_000) })
      await shell.execute({ command: 'setsid sleep 0.2 & kill -KILL $$' })
      // Called off before it began, as a rule: then it throws.
      await shell.execute({ command: 'sleep 20' }, { signal: AbortSignal.timeout(1) }).catch(() => {})
      await shell.execute({ command: 'sleep 20' }, { signal: AbortSignal.timeout(30) }).catch(() => {})
    }
    for (let turn = 0; turn < 5; turn++) await ways()
    const before = resources()
    for (let turn = 0; turn < 12; turn++) await ways()
    expectNoGrowth(before, resources())
  })

  it('over shells that are opened and closed', async () => {
    const cycle = async () => {
      const shell = await openTestShell({ mode: batch.mode })
      const running = shell.execute({ command: 'echo hi; sleep 20' }, { onOutput: () => void shell.close() })
      expect((await running).cancelled).toBe(true)
    }
    // The rulesets of the last 16 directories are kept: each shell here has one of its own.
    for (let turn = 0; turn < 20; turn++) await cycle()
    const before = resources()
    for (let turn = 0; turn < 20; turn++) await cycle()
    expectNoGrowth(before, resources())
  })
})

describe('the watcher', () => {
  const watchers = () =>
    allProcesses().filter(
      ({ parent, running, commandLine }) =>
        parent === process.pid && running && commandLine.startsWith('vitrine-watcher'),
    )

  it('is one, however many shells there are', async () => {
    const shells = await Promise.all(Array.from({ length: 10 }, () => openTestShell({ mode: 'read' })))
    await Promise.all(shells.map((shell) => shell.execute({ command: 'true' })))
    expect(watchers()).toHaveLength(1)
  })

  it('is started again when it is killed, and the shell goes on', async () => {
    const shell = await openTestShell({ mode: 'read' })
    await shell.execute({ command: 'true' })
    const [old] = watchers()
    process.kill(old?.pid ?? Number.NaN, 'SIGKILL')
    expect(await waitFor(() => watchers().length === 0)).toBe(true)
    expect(await shell.execute({ command: 'echo still' })).toMatchObject({ exitCode: 0, stdout: 'still\n' })
    expect(watchers()).toHaveLength(1)
    expect(watchers()[0]?.pid).not.toBe(old?.pid)
  })

  it('cannot be reached from inside', async () => {
    const shell = await openTestShell({ mode: 'read' })
    await shell.execute({ command: 'true' })
    const [{ pid } = { pid: 0 }] = watchers()
    expect(pid).toBeGreaterThan(0)
    const result = await shell.execute({
      command: `kill -KILL ${pid}; kill -STOP ${pid}`,
    })
    expect(result.exitCode).not.toBe(0)
    expect(watchers()[0]).toMatchObject({ pid, state: 'S' })
  })
})
