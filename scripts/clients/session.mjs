// One session of a real client with the scripted model: a home, a workspace that is a git repository, and what came of it.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../freshness.mjs'
import { agents } from './agents.mjs'
import { startModel } from './model.mjs'
import { bare, installed, makeHome } from './place.mjs'

/** Clients need a newer Node than vitrine does. */
export const clientNode = 'node@24.21.0'

export class Session {
  /** A client that knows the model, in a home where it has not run yet. */
  static async open(name) {
    const session = new Session(name)
    session.model = await startModel()
    const env = session.environment()
    for (const args of ['init -q', 'config user.email test@example.org', 'config user.name test'])
      spawnSync('git', args.split(' '), { cwd: session.work, env })
    session.agent.configure?.(session.home, session.model.port)
    if (session.agent.sign) await session.#started(session.agent.sign(session.model.port), env, 60_000)
    return session
  }

  constructor(name) {
    this.name = name
    this.agent = agents[name]
    this.home = makeHome()
    this.work = join(this.home, 'work dir')
    for (const path of [this.work, join(this.home, 'tmp')]) mkdirSync(path)
  }

  environment() {
    const programs = [installed(this.agent.package), installed(clientNode)].map((at) => join(at, '.bin'))
    if (this.program && this.agent.attachedPath) programs.unshift(this.agent.attachedPath(this))
    const own = { ...bare(this.home, ...programs), TMPDIR: join(this.home, 'tmp') }
    return { ...own, ...this.agent.env?.(this.model.port) }
  }

  /** Attaches vitrine by a copy of its own, which a check can break. Returns what `attach` says. */
  attach(...args) {
    this.copy = join(this.home, 'vitrine copy')
    for (const path of ['package.json', 'dist', 'build/Release/vitrine.node'])
      cpSync(join(root, path), join(this.copy, path), { recursive: true })
    this.program = join(this.copy, 'dist/cli.cjs')
    return this.vitrine('attach', this.name, ...args)
  }

  /** What attaching writes for this client beside its settings. */
  get state() {
    return join(this.home, '.local/state/vitrine/attached', this.name)
  }

  vitrine(...args) {
    const options = { cwd: this.work, env: this.environment(), encoding: 'utf8' }
    const { status, stdout, stderr } = spawnSync(process.execPath, [this.program, ...args], options)
    if (status !== 0) throw new Error(`vitrine ${args.join(' ')}: exit code ${status}\n${stdout}${stderr}`)
    return `${stdout}${stderr}`
  }

  /** Runs the client until it ends or `timeoutMs` is over. `results(script)` has the answers of its tools, by step. */
  async run(scripts, { extra = [], env = {}, timeoutMs = 120_000 } = {}) {
    const requests = this.model.follow(scripts)
    const args = [...this.agent.args('do script-main'), ...extra]
    const said = await this.#started(args, { ...this.environment(), ...env }, timeoutMs)
    const results = (script = 'main') =>
      requests.filter((request) => request.script === script).reduce(longest, { results: [] }).results
    return { ...said, requests, results }
  }

  async #started(args, env, timeoutMs) {
    const began = performance.now()
    const options = { cwd: this.work, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true }
    const child = spawn(this.name, args, options)
    let text = ''
    const gather = (chunk) => {
      text += chunk
    }
    for (const stream of [child.stdout, child.stderr]) stream.on('data', gather)
    const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), timeoutMs)
    // Not `close`: what a client leaves running keeps its streams.
    const [code] = await once(child, 'exit')
    clearTimeout(timer)
    return { code, text, ms: performance.now() - began }
  }

  /** Processes that still run with this session's home, as `pid: command line`. */
  left() {
    return readdirSync('/proc')
      .filter((pid) => /^\d+$/.test(pid) && read(`/proc/${pid}/environ`).includes(`HOME=${this.home}\0`))
      .map((pid) => ({ pid: Number(pid), line: read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ') }))
  }

  /** Ends the model, and what the client left, such as a daemon of its own. */
  close() {
    this.model.close()
    for (const { pid } of this.left())
      try {
        process.kill(pid, 'SIGKILL')
      } catch {}
  }
}

const longest = (best, one) => (one.results.length > best.results.length ? one : best)

function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
