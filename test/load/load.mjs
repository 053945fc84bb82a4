// npm run test:load: sessions of two servers behind deploy/nginx.conf, of which one is killed and one is drained, and both are
// started again, in the middle. Every call is answered: as it should be, or with an error that says to retry.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: { sessions: { type: 'string', default: '1000' }, calls: { type: 'string', default: '20' } },
})
const [sessions, calls] = [Number(values.sessions), Number(values.calls)]
const mostBytesEach = 0.4 * 1024 * 1024
/** Of one call, in milliseconds: longer means that it was not answered. */
const patience = 60_000
const root = fileURLToPath(new URL('../..', import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'vitrine-load-'))
const token = 'load-0123456789abcdef'
const children = new Set()

function start(program, args, env = {}) {
  const child = spawn(program, args, {
    cwd: directory,
    env: { PATH: `${process.env.PATH}:/usr/sbin`, HOME: directory, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** A server that begins again where it ended. */
class Replica {
  constructor(instance, port) {
    Object.assign(this, { instance, port })
  }

  async start() {
    const env = {
      VITRINE_TOKEN: token,
      VITRINE_HTTP_INSTANCE: this.instance,
      VITRINE_HTTP_DRAIN_MS: '3000',
      VITRINE_HTTP_SESSIONS: '5000',
    }
    this.process = start(
      process.execPath,
      [join(root, 'dist/cli.cjs'), 'mcp', '--http', String(this.port)],
      env,
    )
    let said = ''
    this.process.stderr.on('data', (chunk) => (said += chunk))
    while (!said.includes('listening')) {
      if (this.process.exitCode !== null) throw new Error(said)
      await delay(10)
    }
  }

  async end(signal) {
    this.process.kill(signal)
    const [code] = await once(this.process, 'exit')
    return code
  }

  bytes() {
    return (
      Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${this.process.pid}/status`, 'utf8'))?.[1]) * 1024
    )
  }

  async sessions() {
    const { text } = await send(this.port, undefined, 'GET', '/metrics')
    return Number(/^vitrine_sessions (\d+)/m.exec(text)?.[1])
  }
}

async function startNginx(port, [a, b]) {
  const ports = { 8080: port, 8081: a.port, 8082: b.port }
  const site = readFileSync(join(root, 'deploy/nginx.conf'), 'utf8').replace(
    /\b808[012]\b/g,
    (each) => ports[each],
  )
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${name};`,
  )
  const lines = [
    'daemon off;',
    'pid nginx.pid;',
    'error_log error.log;',
    'events { worker_connections 4096; }',
    `http { access_log off; ${places.join(' ')}`,
    site,
    '}',
  ]
  writeFileSync(join(directory, 'nginx.conf'), lines.join('\n'))
  const nginx = start('nginx', ['-p', directory, '-e', 'error.log', '-c', 'nginx.conf'])
  nginx.stderr.pipe(process.stderr)
  await delay(500)
  if (nginx.exitCode !== null) throw new Error('nginx did not start')
}

const agent = new Agent({ keepAlive: true, maxSockets: 256 })

function send(port, session, method, path, body) {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(session && { 'mcp-session-id': session }),
  }
  return new Promise((resolve, reject) => {
    const sent = request(
      { agent, host: '127.0.0.1', port, path, method, headers, timeout: patience },
      (response) => {
        let text = ''
        response.setEncoding('utf8')
        const answer = () => resolve({ status: response.statusCode, headers: response.headers, text })
        response.on('data', (chunk) => (text += chunk)).once('end', answer)
        // A client takes an event when it is whole: the stream may break before it ends.
        response.once('error', (error) => {
          if (text.endsWith('\n\n')) answer()
          else reject(new Error(`${error}: ${text}`))
        })
      },
    )
    sent.once('timeout', () => sent.destroy(new Error('no answer'))).once('error', reject)
    sent.end(body && JSON.stringify(body))
  })
}

/** What the calls got, by kind. */
const tally = new Map()
const count = (kind) => tally.set(kind, (tally.get(kind) ?? 0) + 1)
const wrong = []

class Client {
  constructor(port) {
    this.port = port
  }

  post(method, params, id = 1) {
    return send(this.port, this.session, 'POST', '/mcp', {
      jsonrpc: '2.0',
      method,
      params,
      ...(id && { id }),
    })
  }

  /** Until a server takes it. */
  async begin() {
    for (;;) {
      this.session = undefined
      const clientInfo = { name: 'load', version: '1' }
      const answer = await this.post('initialize', {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo,
      })
      this.session = answer.headers['mcp-session-id']
      if (answer.status === 200) return
      await this.refused(answer)
    }
  }

  async refused({ status, headers, text }) {
    const saysRetry = /retry/i.test(text)
    if (status === 503 && saysRetry && headers['retry-after'])
      count(text.includes('is gone') ? 'gone' : 'ending')
    else if (status === 404 && saysRetry) count('session ended')
    else wrong.push(`${status} ${text}`)
    await delay(300)
  }

  /** Until the command has run; undefined: the server ended it. */
  async run(command, expected) {
    for (;;) {
      if (!this.session) await this.begin()
      const answer = await this.post('tools/call', { name: 'execute_command', arguments: { command } })
      if (answer.status !== 200) {
        await this.refused(answer)
        if (!/shutting down/.test(answer.text)) this.session = undefined
        continue
      }
      const data = /^data: (\{.*\})$/m.exec(answer.text)?.[1]
      const said = data && JSON.parse(data).result?.content[0].text
      if (said === expected) return count('right')
      if (/server is ending/.test(said ?? '')) return count('ended by the drain')
      wrong.push(`200 ${answer.text || '(empty)'}`)
      return undefined
    }
  }
}

/** Marks its processes, too. */
const longSeconds = `10.${process.pid}`

function running(commandLine) {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const lines = ids.map((id) => {
    try {
      return readFileSync(`/proc/${id}/cmdline`, 'utf8')
    } catch {
      return '' // it has ended
    }
  })
  return lines.filter((line) => line === commandLine).length
}

let done = 0
async function work(client, name) {
  for (let at = 0; at < calls; at++) {
    // A few run while their server ends.
    const slow = at % 5 === 4 ? 'sleep 0.3; ' : ''
    await client
      .run(`${slow}echo ${name}-${at}`, `${name}-${at}\n`)
      .catch((error) => wrong.push(String(error)))
    done++
  }
}

async function reach(part) {
  while (done < sessions * calls * part) await delay(20)
}

async function main() {
  if (spawnSync('nginx', ['-v'], { env: { PATH: `${process.env.PATH}:/usr/sbin` } }).error)
    return 'skipped: nginx is not installed (Debian: nginx-light)'
  const ports = [await freePort(), await freePort(), await freePort()]
  const [a, b] = [new Replica('a', ports[1]), new Replica('b', ports[2])]
  await Promise.all([a.start(), b.start()])
  await startNginx(ports[0], [a, b])
  const warm = Array.from({ length: 20 }, () => new Client(ports[0]))
  await Promise.all(warm.map((client) => client.run('echo x', 'x\n')))
  const before = [a, b].map((each) => each.bytes())
  const begun = performance.now()
  const clients = Array.from({ length: sessions }, () => new Client(ports[0]))
  const working = Promise.all(clients.map((client, at) => work(client, `s${at}`)))
  await reach(0.3)
  const open = (await a.sessions()) + (await b.sessions()) - warm.length
  const each = [a, b].reduce((sum, one, at) => sum + one.bytes() - before[at], 0) / open
  await a.end('SIGKILL')
  await delay(500)
  await a.start()
  await reach(0.6)
  const long = Array.from({ length: 5 }, () => new Client(ports[0]))
  const ending = Promise.all(long.map((client) => client.run(`sleep ${longSeconds}; echo long`, 'long\n')))
  while (running(`sleep\0${longSeconds}\0`) < long.length) await delay(20)
  const code = await b.end('SIGTERM')
  await delay(500)
  await b.start()
  await Promise.all([working, ending])
  const seconds = (performance.now() - begun) / 1000
  const rows = [...tally]
    .sort()
    .map(([kind, times]) => `| ${kind.padEnd(20)} | ${String(times).padStart(6)} |`)
  process.stdout.write(
    `| answers              |  times |\n| -------------------- | -----: |\n${rows.join('\n')}\n\n`,
  )
  process.stdout.write(
    `${open} sessions open, ${(each / 1024 / 1024).toFixed(2)} MB each; ${seconds.toFixed(0)} s\n`,
  )
  const right = tally.get('right') - warm.length + (tally.get('ended by the drain') ?? 0)
  if (wrong.length > 0) return `${wrong.length} wrong answers, for example: ${wrong.slice(0, 3).join('\n')}`
  if (right < sessions * calls) return `${right} right answers`
  if (code !== 0) return `the drained server ended with ${code}`
  // Of few sessions it is what any work takes.
  if (sessions >= 500 && each > mostBytesEach) return `more than ${mostBytesEach} bytes each`
  const missing = ['gone', 'ending', 'ended by the drain'].filter((kind) => !tally.has(kind))
  return missing.length === 0 ? undefined : `no call was answered with: ${missing.join(', ')}`
}

let said
try {
  said = await main()
} catch (error) {
  said = error.stack
} finally {
  // nginx ends its workers; after SIGKILL they would stay.
  for (const child of children) child.kill(child.spawnfile === 'nginx' ? 'SIGTERM' : 'SIGKILL')
  agent.destroy()
}
if (said) process.stdout.write(`${said}\n`)
process.exitCode = said && !said.startsWith('skipped') ? 1 : 0
while (children.size > 0) await delay(10)
rmSync(directory, { recursive: true, force: true })
