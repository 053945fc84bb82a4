import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { allProcesses, makeMarker, survivors, waitFor } from '../helpers/processes.ts'
import { ended, Home, wrote } from './vitrine.ts'

const home = new Home()

/**
 * Starts a command that says `ready`, and sends signals to the command line from then on. The command must not start
 * programs: dash loses a signal that reaches its child between vfork and exec.
 */
async function interrupted(command: string, signals: readonly NodeJS.Signals[], ...options: string[]) {
  const child = home.start(['run', ...options, '--', command])
  const end = ended(child)
  await wrote(child, 'ready')
  for (const [index, signal] of signals.entries()) {
    child.kill(signal)
    if (index < signals.length - 1) await wrote(child, 'ignored')
  }
  return end
}

it.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)(
  '%s reaches the command, whose exit code comes out',
  async (signal) => {
    const name = signal.slice(3)
    const line = `trap 'echo got ${name}; exit 9' ${name}; echo ready; while :; do :; done`
    const ran = await interrupted(line, [signal])
    expect(ran).toMatchObject({ code: 9, stdout: `ready\ngot ${name}\n` })
  },
)

it.each([
  ['SIGINT', 'sleep', [], 130],
  ['SIGTERM', 'exec sleep', ['--write'], 143],
] as const)('a command that does not handle %s ends by it', async (signal, sleep, options, code) => {
  const marker = makeMarker()
  const child = home.start(['run', ...options, '--', `${sleep} ${marker}; :`])
  const end = ended(child)
  const isAsleep = () => allProcesses().some((entry) => entry.commandLine.startsWith(`sleep\0${marker}`))
  expect(await waitFor(isAsleep)).toBe(true)
  child.kill(signal)
  expect((await end).code).toBe(code)
})

it('the whole group gets it', async () => {
  const marker = makeMarker()
  const line = `sleep ${marker} & sleep ${marker} & echo ready; wait`
  const ran = await interrupted(line, ['SIGTERM'], '--write')
  expect(ran.code).toBe(143)
  expect(await survivors(marker)).toEqual([])
})

it.each([
  ['SIGINT', 'read'],
  ['SIGTERM', 'read'],
  ['SIGTERM', 'write'],
] as const)('a second %s kills a command of %s mode that ignores the first', async (signal, mode) => {
  const ignoring = `trap 'echo ignored' ${signal.slice(3)}; echo ready; while :; do :; done`
  const ran = await interrupted(ignoring, [signal, signal], '--mode', mode)
  expect(ran.code).toBe(137)
})

it('an interrupt before it does not make the first SIGTERM a second one', async () => {
  const patient = `trap 'echo ignored' INT; trap 'echo last words; exit 9' TERM; echo ready; while :; do :; done`
  expect(await interrupted(patient, ['SIGINT', 'SIGTERM'])).toMatchObject({
    code: 9,
    stdout: 'ready\nignored\nlast words\n',
  })
})

it('with --json the signal reaches the command too, and the object comes out', async () => {
  const ready = join(home.directory, makeMarker())
  const command = `trap 'exit 9' TERM; : > ${ready}; while :; do :; done`
  const child = home.start(['run', '--json', '--write', '--', command])
  const end = ended(child)
  expect(await waitFor(() => existsSync(ready))).toBe(true)
  child.kill('SIGTERM')
  const ran = await end
  expect(ran.code).toBe(9)
  expect(JSON.parse(ran.stdout)).toMatchObject({ exitCode: 9, outcome: { kind: 'exited', code: 9 } })
})
