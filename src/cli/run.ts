import { openShell, type Shell } from '../index.ts'
import { ignoredLines, prefixed } from '../result/explain-cli.ts'
import { type Order, readOrder } from './order.ts'
import { brokenCode, codeOf } from './outcome.ts'
import { Passage } from './passage.ts'
import { forwardSignals } from './signals.ts'
import { standardError, standardOutput } from './sink.ts'
import { standardInput } from './stdin.ts'

/** `vitrine run`: one command, its output and its exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const order = readOrder(args)
  const shell = await openShell({
    cwd: order.cwd,
    config: order.config,
    mode: order.write ? 'write' : undefined,
    network: order.network ? true : undefined,
  })
  await sayIgnored(shell)
  return order.json ? runToJson(shell, order) : runStreaming(shell, order)
}

async function runToJson(shell: Shell, { request }: Order): Promise<number> {
  const stdin = standardInput(shell.mode)
  const stop = forwardSignals(shell)
  const result = await shell.execute({ ...request, stdin })
  stop()
  await standardOutput.write(`${JSON.stringify(result)}\n`)
  return (await brokenCode()) ?? codeOf(result)
}

async function runStreaming(shell: Shell, { request }: Order): Promise<number> {
  const stdin = standardInput(shell.mode)
  const passage = new Passage()
  const stop = forwardSignals(shell)
  const running = shell.execute(
    { ...request, stdin },
    {
      signal: passage.signal,
      onOutput: (stream, chunk) => passage.pass(stream, chunk),
      save: request.scratchpad !== undefined,
    },
  )
  const result = await running.finally(() => passage.end())
  // From here on a signal ends us as usual: only the reader of our output can still keep us.
  stop()
  await passage.flushed()
  const broken = await brokenCode()
  if (broken === undefined) await passage.sayAfterwards(result)
  return broken ?? codeOf(result)
}

async function sayIgnored({ ignored }: Shell): Promise<void> {
  for (const line of ignoredLines(ignored)) await standardError.write(prefixed(line))
}
