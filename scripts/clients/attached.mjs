// What holds of an agent's own tools once vitrine is attached: each check runs the real client, and looks from outside.
// usage: node scripts/clients/attached.mjs CLIENT [WORD...]   in a network namespace with loopback alone; prints a row for each check
import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { agents } from './agents.mjs'
import { removeHomes } from './place.mjs'
import { Session } from './session.mjs'

const [client, ...words] = process.argv.slice(2)
const agent = { keepsDirectory: false, ...agents[client] }
const refused = /vitrine: /

/** Opens a session, attached in `mode` if there is one, and closes it whatever happens. */
async function inSession(mode, use, prepare = () => {}) {
  const session = await Session.open(client)
  try {
    prepare(session)
    if (mode) session.attach('--mode', mode)
    return await use(session)
  } finally {
    session.close()
  }
}

/** Throws unless what was claimed is so; the error has what was seen. */
function held(claim, seen) {
  if (!claim)
    throw new Error(typeof seen === 'string' ? seen.slice(0, 600) : JSON.stringify(seen).slice(0, 600))
}

const at = (session, path) => existsSync(join(session.work, path))
const git = (session, ...args) =>
  spawnSync('git', args, { cwd: session.work, encoding: 'utf8' }).stdout.trim()

/** The client's own tools create files: a shell call, a file tool, a subagent. */
const control = () =>
  inSession(undefined, async (session) => {
    const main = [agent.shell('echo x > probe'), agent.write(join(session.work, 'written'), 'x')]
    if (agent.agent) main.push(agent.agent('script-sub'))
    const { code, text, ms } = await session.run({ main, sub: [agent.shell('echo x > subprobe')] })
    held(code === 0 && at(session, 'probe') && at(session, 'written'), text)
    held(!agent.agent || at(session, 'subprobe'), text)
    return `${(ms / 1000).toFixed(1)} s`
  })

const readMode = () =>
  inSession('read', async (session) => {
    const { code, text, results } = await session.run({ main: [agent.shell('echo x > probe; echo went on')] })
    held(code === 0 && !at(session, 'probe'), `exit code ${code}, probe ${at(session, 'probe')}: ${text}`)
    const [said = text] = results()
    held(/vitrine: (blocked in read mode|Read mode refuses)/.test(said) && /went on/.test(said), said)
    return /vitrine: [^;]*/.exec(said)[0].replaceAll(session.home, '~')
  })

const readModeFiles = () =>
  inSession('read', async (session) => {
    const { results, text } = await session.run({ main: [agent.write(join(session.work, 'written'), 'x')] })
    held(!at(session, 'written'), 'the file was written')
    // Cline ends its run, and says why.
    const said = results()[0] ?? text
    held(refused.test(said), said)
  })

const subagent = () =>
  inSession('read', async (session) => {
    const scripts = {
      main: [agent.agent('script-sub')],
      sub: [agent.shell('echo x > probe'), agent.write(join(session.work, 'written'), 'x')],
    }
    const { text, results } = await session.run(scripts)
    held(!at(session, 'probe') && !at(session, 'written'), 'a file was written')
    held(
      results('sub').length > 1 && results('sub').every((said) => refused.test(said)),
      results('sub').join() || text,
    )
  })

const commit = () =>
  inSession('workspace', async (session) => {
    const line = 'echo x > a && git add a && git commit -qm first && git log --oneline'
    const { text, results } = await session.run({ main: [agent.shell(line)] })
    held(git(session, 'log', '--format=%s') === 'first', results()[0] ?? text)
  })

const hook = () =>
  inSession('workspace', async (session) => {
    // Claude itself refuses a line that names the file.
    const line = 'd=.git/hooks; printf x | tee "$d/pre-commit"; echo went on'
    const { results, text } = await session.run({ main: [agent.shell(line)] })
    held(!at(session, '.git/hooks/pre-commit'), 'the hook was written')
    held(refused.test(results()[0]) && /went on/.test(results()[0]), results()[0] ?? text)
  })

const fileTools = () =>
  inSession('workspace', async (session) => {
    const files = ['inside', '../outside', '.git/hooks/post-commit', '.vscode/tasks.json', 'link/x']
    const main = files.map((file) => agent.write(join(session.work, file), 'x'))
    mkdirSync(join(session.home, 'elsewhere'))
    spawnSync('ln', ['-s', '../elsewhere', join(session.work, 'link')])
    const { results, text } = await session.run({ main })
    held(at(session, 'inside'), results()[0] ?? text)
    const written = files.slice(1).filter((file) => at(session, file))
    held(written.length === 0, `written: ${written}`)
    const unlike = files.filter((_, index) => index > 0 && !refused.test(results()[index]))
    return unlike.length > 0 ? `not in vitrine's words, or not reached: ${unlike.join(', ')}` : ''
  })

/** What a call leaves to the next, as the client itself has it: `cd`, or nothing. */
const directory = () =>
  inSession('workspace', async (session) => {
    const main = ['mkdir -p sub/deep && cd sub/deep', 'pwd', 'cd ..', 'pwd'].map((line) => agent.shell(line))
    const { results, text } = await session.run({ main })
    const [deep, sub] = [results()[1] ?? '', results()[3] ?? '']
    held(/work dir/.test(deep), deep || text)
    held(/sub\/deep/.test(deep) === agent.keepsDirectory, `pwd after cd: ${deep}`)
    held(/sub(?!\/)/.test(sub) === agent.keepsDirectory, `pwd after cd ..: ${sub}`)
    return agent.keepsDirectory ? 'kept' : 'not kept, as without vitrine'
  })

/** Serves a word on a port, in its own process; `listening` waits for it in another call. */
const server = `node -e "require('net').createServer(s=>s.end('served')).listen(4099,'127.0.0.1')"`
const ask = `node -e "let n=0;(function go(){const s=require('net').connect(4099,'127.0.0.1');s.on('data',d=>console.log(String(d)));s.on('error',()=>n++<100?setTimeout(go,100):console.log('no answer'))})()"`

const serves = (session) => session.left().some(({ line }) => line.includes('createServer'))

const background = () =>
  inSession('workspace', async (session) => {
    const { results, text } = await session.run({ main: [agent.shell(server, true), agent.shell(ask)] })
    held(/served/.test(results()[1]), results().join('\n') || text)
  })

const backgroundEnds = () =>
  inSession('workspace', async (session) => {
    const running = session.run({ main: [agent.shell(server, true), agent.shell('sleep 1.5; true')] })
    const seen = await until(() => serves(session), 300)
    await running
    held(seen, 'it was not started')
    held(await until(() => !serves(session)), 'it lives on after the client ended')
  })

const longCall = () =>
  inSession('read', async (session) => {
    const { results, text } = await session.run({ main: [agent.shell('sleep 33; echo waited')] })
    held(/waited/.test(results()[0]), results()[0] ?? text)
  })

const bashWords = () =>
  inSession('read', async (session) => {
    const line = '[[ a == a ]] && echo {1,2} && echo "it\'s bash $BASH_VERSION"'
    const { results, text } = await session.run({ main: [agent.shell(line)] })
    held(/1 2/.test(results()[0]) && /it's bash \d/.test(results()[0]), results()[0] ?? text)
  })

/** Medians between one request and the next, without and with vitrine. */
const twenty = async () => {
  const main = Array.from({ length: 20 }, (_, index) => agent.shell(`: ${index}`))
  const median = (session) =>
    session.run({ main }).then(({ requests, text }) => {
      const times = requests
        .filter(({ script, tools }) => script === 'main' && tools.length > 0)
        .map(({ at }) => at)
      const gaps = times.slice(1).map((time, index) => time - times[index])
      held(gaps.length >= 20, text)
      return gaps.sort((a, b) => a - b)[10]
    })
  const plain = await inSession(undefined, median)
  const attached = await inSession('read', median)
  return `${plain.toFixed(0)} ms a call without, ${attached.toFixed(0)} ms with vitrine`
}

/** The client's own deny rules judge the line that the model wrote. */
const denied = () =>
  inSession('workspace', async (session) => {
    agent.deny.configure?.(session)
    const main = [agent.shell('touch denied'), agent.shell('mkdir allowed')]
    const { results } = await session.run({ main }, { extra: agent.deny.args ?? [] })
    held(!at(session, 'denied'), results()[0])
    held(at(session, 'allowed'), results()[1] ?? 'the second call did not run')
  })

const detached = async () => {
  await inSession(undefined, async (session) => {
    const before = tree(session.home)
    session.attach('--mode', 'read')
    const between = tree(session.home)
    held(JSON.stringify(before) !== JSON.stringify(between), 'attach wrote nothing')
    session.vitrine('detach', client)
    const after = tree(session.home)
    const differs = Object.keys({ ...before, ...after }).filter((file) => before[file] !== after[file])
    held(differs.length === 0, `differ: ${differs}`)
    const { text } = await session.run({ main: [agent.shell('echo x > probe')] })
    held(at(session, 'probe'), text)
  })
}

/** Every file below the home but vitrine's copy and the workspace, with its content. */
function tree(home) {
  // Codex, which attaching asks for a hash, begins files of its own.
  const others =
    /^(vitrine copy|work dir|\.npm)|^\.codex\/(.*sqlite|installation_id|log|version|tmp|skills|\.tmp)/
  const files = readdirSync(home, { recursive: true }).filter(
    (file) => !others.test(file) && lstatSync(join(home, file)).isFile(),
  )
  return Object.fromEntries(
    files.map((file) => [
      file,
      `${lstatSync(join(home, file)).mode} ${readFileSync(join(home, file), 'utf8')}`,
    ]),
  )
}

/** A fault after attaching: nothing may run outside of vitrine. `breaks` makes it, and may return options of the run. */
const fault = (breaks) => () =>
  inSession('read', async (session) => {
    const options = (await breaks(session)) ?? {}
    const main = [agent.shell('echo x > probe'), agent.write(join(session.work, 'written'), 'x')]
    const { results, text } = await session.run({ main }, { timeoutMs: 200_000, ...options })
    const done = ['probe', 'written'].filter((file) => at(session, file))
    held(done.length === 0, `written: ${done}; ${results().join(' | ')}`)
    return (results()[0] ?? text.trim().split('\n').at(-1)).slice(0, 160).replaceAll(/\s+/g, ' ')
  })

const program = (text) => (session) => writeFileSync(session.program, `#!/usr/bin/env node\n${text}\n`)

const faults = {
  'vitrine removed': (session) => rmSync(session.copy, { recursive: true }),
  'vitrine crashes': program('process.exit(1)'),
  'vitrine says nothing': program('process.exit(0)'),
  'vitrine hangs': program('setTimeout(() => {}, 600_000)'),
  'what attach wrote removed': (session) => rmSync(session.state, { recursive: true }),
}

const checks = {
  control,
  'read mode: a write': readMode,
  'read mode: a file tool': readModeFiles,
  'read mode: bash': bashWords,
  'read mode: 33 s': longCall,
  'workspace: a commit': commit,
  'workspace: a hook': hook,
  'workspace: file tools': fileTools,
  'workspace: directory kept': directory,
  '20 calls': twenty,
  'detach is exact': detached,
}
if (agent.agent) checks['read mode: a subagent'] = subagent
if (agent.background)
  Object.assign(checks, {
    'workspace: a background server': background,
    'a background server ends': backgroundEnds,
  })
if (agent.deny) checks['own deny rules'] = denied
for (const [name, breaks] of Object.entries({ ...faults, ...agent.faults }))
  checks[`fault: ${name}`] = fault(breaks)
for (const [name, files] of Object.entries(agent.repository ?? {}))
  checks[`repository: ${name}`] = fault((session) => {
    for (const [file, content] of Object.entries(files)) {
      mkdirSync(dirname(join(session.work, file)), { recursive: true })
      const text = typeof content === 'string' ? content : JSON.stringify(content)
      writeFileSync(join(session.work, file), text, { mode: 0o755 })
    }
    return agent.trust?.(session)
  })

async function until(holds, times = 100) {
  for (let tries = 0; tries < times; tries++) {
    if (holds()) return true
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return false
}

let unexpected = 0
for (const [name, check] of Object.entries(checks)) {
  if (words.length > 0 && !words.some((word) => name.includes(word))) continue
  if (agent.skips?.includes(name)) {
    console.log(`${client.padEnd(9)} ${name.padEnd(34)} not tried`)
    continue
  }
  const known = agent.open?.includes(name)
  let verdict = 'held'
  let note
  try {
    note = await check()
  } catch (error) {
    verdict = 'open'
    note = error.message.replaceAll(/\s+/g, ' ')
  }
  const expected = (verdict === 'open') === (known ?? false)
  if (!expected) unexpected++
  const row = [client.padEnd(9), name.padEnd(34), `${verdict}${expected ? '' : ' (!)'}`.padEnd(9), note ?? '']
  console.log(row.join(' ').trimEnd())
  removeHomes()
}
process.exitCode = unexpected === 0 ? 0 : 1
