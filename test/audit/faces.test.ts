import { join } from 'node:path'
import { expect, it } from 'vitest'
import { prefixed } from '../../src/cli/output.ts'
import { lostLine } from '../../src/messages/refusal.ts'
import { Home } from '../cli/vitrine.ts'
import { connect } from '../mcp/connect.ts'
import { commandsOf } from './place.ts'

it('the command line writes a line for what it ran and for what it refused', async () => {
  const home = new Home()
  const log = join(home.directory, 'audit/log.jsonl')
  home.configure(`[audit]\npath = "${log}"\n[policy]\ndeny = ["forbidden"]\n`)
  await home.run(['run', '--', 'echo one; exit 4'])
  await home.run(['run', '--json', '--', 'echo', 'two'])
  expect((await home.run(['run', '--', 'forbidden'])).code).toBe(125)
  expect((await home.run(['run', '--', 'not-there', 'x'])).code).toBe(127)
  expect((await home.run(['run', '--each', '--', 'true', 'false'])).code).toBe(1)
  expect(
    commandsOf(log).map(({ outcome, exitCode, command, argv }) => [outcome, exitCode, command ?? argv]),
  ).toEqual([
    ['exited', 4, 'echo one; exit 4'],
    ['exited', 0, ['echo', 'two']],
    ['refused', null, 'forbidden'],
    ['refused', null, ['not-there', 'x']],
    ['exited', 0, 'true'],
    ['exited', 1, 'false'],
  ])
})

it('a line that is missing is told on stderr', async () => {
  const home = new Home()
  home.configure('[audit]\npath = "/proc/none/log"\n')
  const stderr = prefixed(lostLine({ path: '/proc/none/log', step: 'directory', reason: 'ENOENT' }))
  expect(await home.run(['run', '--', 'echo hi; exit 3'])).toMatchObject({ code: 3, stdout: 'hi\n', stderr })
})

it('an MCP server writes a line for each call, and who was asked', async () => {
  const home = new Home()
  const log = join(home.directory, 'audit/log.jsonl')
  home.configure(`[audit]\npath = "${log}"\n`)
  const answers = (['y', 'n'] as const).values()
  const elicit = () => ({ action: 'accept' as const, content: { answer: answers.next().value ?? 'n' } })
  const server = await connect(['--mode', 'both', '--tool-per-mode', '--approve', 'elicit'], { home, elicit })
  await server.run({ command: 'echo one' })
  await server.write({ command: 'touch a' })
  await server.write({ command: 'touch b' })
  const by = { by: 'mcp-elicitation', asked: true, standing: null }
  expect(
    commandsOf(log).map(({ mode, command, outcome, approval }) => [mode, command, outcome, approval]),
  ).toEqual([
    ['read', 'echo one', 'exited', null],
    // The call that the question goes back with, and the one that brings the answer.
    ['write', 'touch a', 'refused', { ...by, answer: 'none' }],
    ['write', 'touch a', 'exited', { ...by, answer: 'yes' }],
    ['write', 'touch b', 'refused', { ...by, answer: 'none' }],
    ['write', 'touch b', 'refused', { ...by, answer: 'no' }],
  ])
})
