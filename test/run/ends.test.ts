import { closeSync, fstatSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { type Host, thisHost } from '../../src/host/host.ts'
import type { NativeEvent, SpawnRecord } from '../../src/launch/addon.ts'
import { untoldEndHint } from '../../src/run/hint.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'
import { realAddon } from '../sandbox/hosts.ts'

it('a signal that is aborted already makes every call throw its reason, and nothing runs', async () => {
  const shell = await openTestShell({ mode: 'write' })
  const reason = new Error('changed my mind')
  const command = 'touch made'
  for (const signal of [AbortSignal.abort(reason), AbortSignal.abort()]) {
    const options = { signal }
    await expect(shell.execute({ command }, options)).rejects.toBe(signal.reason)
    await expect(shell.executeAll([command], options)).rejects.toBe(signal.reason)
    await expect(shell.execute({ command }, options)).rejects.toMatchObject({
      name: signal.reason === reason ? 'Error' : 'AbortError',
    })
  }
  expect((await shell.execute({ command: 'ls made' })).exitCode).not.toBe(0)
})

it.for([
  ['a wrong request', [{ command: 'true', timeoutMs: -1 }], 'INVALID_REQUEST'],
  ['no list', 'true', 'INVALID_REQUEST'],
  ['a denied line after another', ['echo x', 'rm -rf /'], 'DENIED'],
  ['a program that is not there', [{ argv: ['/not/there'] }, 'echo x'], 'SPAWN_FAILED'],
] as const)('executeAll says with empty results that nothing ran: %s', async ([, requests, code]) => {
  const shell = await openTestShell({ mode: 'write' })
  await expect(shell.executeAll(requests as never)).rejects.toMatchObject({ code, results: [] })
})

it('and of a closed shell', async () => {
  const shell = await openTestShell()
  await shell.close()
  await expect(shell.executeAll(['true'])).rejects.toMatchObject({ code: 'INVALID_REQUEST', results: [] })
})

it('what ran before is in it', async () => {
  const shell = await openTestShell({ mode: 'write' })
  const running = shell.executeAll(['echo x', { argv: ['/not/there'] }])
  await expect(running).rejects.toMatchObject({ code: 'SPAWN_FAILED', results: [{ stdout: 'x\n' }] })
})

/** A host whose launcher falls silent from the first event on that `isLost` picks, as where the kernel cannot end a process. */
function fallingSilent(isLost: (event: NativeEvent) => boolean) {
  const addon = realAddon()
  const late: (() => void)[] = []
  const spawn = (record: SpawnRecord, handler: (event: NativeEvent) => void) =>
    addon.spawn(record, (event) => {
      if (late.length > 0 || isLost(event)) late.push(() => handler(event))
      else handler(event)
    })
  const host: Host = { ...thisHost(), addon: { ...addon, spawn } }
  return { host, late }
}

it('a command whose end is not told returns at its deadline, and nothing is written after it', async () => {
  let bytes = 0
  const { host, late } = fallingSilent((event) => {
    if (event.kind === 'output') bytes += event.bytes.length
    return bytes > 300_000
  })
  const heard: number[] = []
  const shell = await openTestShell({ host })
  const call = { command: 'yes', timeoutMs: 500 }
  const result = await shell.execute(call, { onOutput: (_, chunk) => void heard.push(chunk.length) })
  expect(result).toMatchObject({ timedOut: true, hint: untoldEndHint })
  // "kill -- -0" would end the reader's own group.
  expect(result).not.toHaveProperty('background')
  const seen = heard.length
  // The number of the saved output's descriptor is free again.
  const files = Array.from({ length: 20 }, (_, at) => openSync(join(makeDirectory(), String(at)), 'w'))
  await vi.waitUntil(() => late.length > 1)
  for (const tell of late) tell()
  await shell.close()
  expect(files.map((fd) => fstatSync(fd).size)).toEqual(files.map(() => 0))
  expect(heard.length).toBe(seen)
  for (const fd of files) closeSync(fd)
})
