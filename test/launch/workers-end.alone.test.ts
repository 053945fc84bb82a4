import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, it } from 'vitest'
import { makeDirectory } from '../helpers/place.ts'
import { aliveWith, endAll, makeMarker, waitFor } from '../helpers/processes.ts'
import { compileFixture, repository } from '../helpers/programs.ts'

let daemon: string

beforeAll(() => {
  daemon = compileFixture('daemon')
})

interface WorkersEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly output: string
  readonly errors: string
  /** Who was left while the host still lived. */
  readonly left: readonly number[]
}

async function runWorkers(how: string, marker: string): Promise<WorkersEnd> {
  const script = join(repository, 'test/fixtures/host/workers.mjs')
  const child = spawn(process.execPath, [script, how, makeDirectory(), marker, daemon])
  const output = text(child.stdout)
  const errors = text(child.stderr)
  const ended = once(child, 'exit')
  await Promise.race([once(child.stdout, 'data'), ended])
  // The host has the marker among its own arguments.
  const commands = () => aliveWith(marker).filter((pid) => pid !== child.pid)
  await waitFor(() => commands().length === 0)
  const left = commands()
  child.stdin.end()
  const [code, signal] = await ended
  return { code, signal, output: await output, errors: await errors, left }
}

describe('worker threads', () => {
  it.for([
    ['50 workers terminated in the middle: no crash, the main thread works on', 'terminated'],
    ['an addon that only workers load outlives them', 'alone'],
  ] as const)('%s', async ([, how]) => {
    const marker = makeMarker()
    const end = await runWorkers(how, marker)
    await endAll(marker)
    expect(end).toEqual({ code: 0, signal: null, output: 'done\n', errors: '', left: [] })
  })
})
