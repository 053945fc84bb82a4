import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Place } from './client.ts'

const answerMs = 30_000

/** One question to `codex app-server`, which speaks JSON-RPC by lines. */
export function askCodex({ env }: Place, method: string, params: object): Promise<unknown> {
  const child = spawn('codex', ['app-server'], { env, stdio: ['pipe', 'pipe', 'ignore'], timeout: answerMs })
  const send = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`)
  return new Promise((resolve, reject) => {
    const fail = (why: string) =>
      reject(new Error(`Codex, which has to trust the hook, ${why}. Nothing was changed.`))
    child.on('error', () => fail('was not found in PATH ("codex")'))
    child.on('exit', () => fail('did not answer'))
    child.stdin.on('error', () => {})
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { id, result, error } = JSON.parse(line)
      if (error) fail(`answered: ${JSON.stringify(error)}`)
      else if (id === 1) send({ id: 2, method, params })
      else if (id === 2) resolve(result)
    })
    send({
      id: 1,
      method: 'initialize',
      params: { clientInfo: { name: 'vitrine', title: null, version: '1' } },
    })
  }).finally(() => child.kill())
}
