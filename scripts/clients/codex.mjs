// Codex's app-server: an agent's own client, without a model. It calls the tool, and answers what the server asks.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { bare, expect, installed, installServer, makeHome } from './place.mjs'

/** Speaks the app-server's JSON-RPC; `answer` is asked for every request of the server's. */
class AppServer {
  #next = 1
  #pending = new Map()

  constructor(child, answer) {
    this.child = child
    createInterface({ input: child.stdout }).on('line', (line) => {
      const message = JSON.parse(line)
      if (message.method !== undefined && message.id !== undefined)
        this.#send({ id: message.id, result: answer(message) })
      else if (message.id !== undefined) this.#pending.get(message.id)?.(message)
    })
  }

  async ask(method, params) {
    const id = this.#next++
    const answered = new Promise((resolve) => this.#pending.set(id, resolve))
    this.#send({ id, method, params })
    const { result, error } = await answered
    if (error) throw new Error(`${method}: ${JSON.stringify(error)}`)
    return result
  }

  tell(method) {
    this.#send({ method })
  }

  #send(message) {
    this.child.stdin.write(`${JSON.stringify(message)}\n`)
  }
}

async function appServer() {
  const home = makeHome()
  await installServer('codex', home, '--mode', 'write', '--approve', 'elicit')
  const bin = join(installed('@openai/codex@0.169.0'), '.bin/codex')
  const env = { ...bare(home, join(installed('node@22.23.3'), '.bin')), CODEX_HOME: join(home, '.codex') }
  const child = spawn(bin, ['app-server'], { env, cwd: home, stdio: ['pipe', 'pipe', 'ignore'] })
  const questions = []
  const answers = ['y', 'n']
  const codex = new AppServer(child, ({ method, params }) => {
    questions.push({ method, params })
    return { action: 'accept', content: { answer: answers.shift() ?? 'n' }, _meta: null }
  })
  try {
    const capabilities = { experimentalApi: true }
    await codex.ask('initialize', { clientInfo: { name: 'test', title: null, version: '1' }, capabilities })
    codex.tell('initialized')
    const { thread } = await codex.ask('thread/start', { cwd: home, approvalPolicy: 'on-request' })
    const call = async (command) => {
      const params = {
        threadId: thread.id,
        server: 'vitrine',
        tool: 'execute_command',
        arguments: { command },
      }
      const { content, isError } = await codex.ask('mcpServer/tool/call', params)
      return `${isError === true ? 'error: ' : ''}${content[0].text}`
    }
    expect(await call('echo x; exit 3'), /^x\n\[exit code: 3\]$/)
    expect(await call('touch yes'), /^\(no output\)$/)
    expect(await call('touch no'), /^error: NOT_APPROVED: The user said no\./)
    expect(String(existsSync(join(home, 'yes'))), 'true')
    expect(String(existsSync(join(home, 'no'))), 'false')
    expect(
      questions.map(({ method }) => method).join(),
      /^mcpServer\/elicitation\/request,mcpServer\/elicitation\/request$/,
    )
    expect(JSON.stringify(questions[0].params), 'touch yes')
  } finally {
    child.kill()
    await once(child, 'exit')
  }
}

export const checks = { 'codex app-server, with an elicitation': appServer }
