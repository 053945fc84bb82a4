import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type ListenOptions } from 'node:net'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { systemTool } from '../base/paths.ts'
import type { Result } from '../internal.ts'
import { type Attempt, attempt, becomes, type CheckSettings, isAlive, type Trial } from './attempt.ts'

/** On a file that others own; exit code 0 does not count, the file does. */
function onFile(name: string, command: string, settings?: CheckSettings): Attempt {
  const prepare = (directory: string): Trial => {
    const file = join(directory, 'file')
    writeFileSync(file, '')
    const state = () => `${statSync(file).size} ${statSync(file).mode}`
    const before = state()
    return { request: { command }, touched: () => state() !== before }
  }
  return attempt(name, prepare, settings)
}

/** Changes nothing even if it is allowed, which its exit code tells. */
function byExitCode(name: string, command: string): Attempt {
  return attempt(name, () => ({ request: { command }, touched: ({ exitCode }) => exitCode === 0 }))
}

function onSleeper(
  name: string,
  command: (pid: number) => string,
  touched: (pid: number, result: Result) => boolean | Promise<boolean>,
): Attempt {
  return attempt(name, async () => {
    const sleeper = spawn(systemTool('sleep') ?? '/bin/sleep', ['120'], { stdio: 'ignore' })
    await once(sleeper, 'spawn')
    const pid = sleeper.pid ?? 0
    return {
      request: { command: command(pid) },
      touched: (result) => touched(pid, result),
      clear: () => void sleeper.kill('SIGKILL'),
    }
  })
}

/** By its path: the search for secrets ends after a time. */
function reading(name: string, place: 'outside' | 'workspace', settings: CheckSettings): Attempt {
  const content = 'a throw-away secret'
  return attempt(
    name,
    (directory, { cwd }) => {
      const path = join(place === 'outside' ? directory : cwd, 'secret')
      writeFileSync(path, content)
      return { request: { argv: ['cat', path] }, touched: ({ stdout }) => stdout === content }
    },
    settings,
  )
}

/** To a server outside; `script` is JavaScript that ends with a connection to `address`. */
function connecting(
  name: string,
  listen: (directory: string) => ListenOptions,
  script: (address: string) => string,
  more: Pick<Trial, 'worked'> & { readonly settings?: CheckSettings } = {},
): Attempt {
  const prepare = async (directory: string): Promise<Trial> => {
    let connections = 0
    const server = createServer((socket) => {
      connections++
      socket.destroy()
    }).listen(listen(directory))
    await once(server, 'listening')
    const bound = server.address() as AddressInfo | string
    const address = JSON.stringify(
      typeof bound === 'string' ? { path: bound } : { host: bound.address, port: bound.port },
    )
    return {
      request: { argv: [process.execPath, '-e', script(address)] },
      // The last one may still be in transit when the command ends.
      touched: () => becomes(() => connections > 0, 50),
      clear: () => void server.close(),
      ...more,
    }
  }
  return attempt(name, prepare, more.settings)
}

const onLoopback = () => ({ host: '127.0.0.1', port: 0 })
const connect = (address: string) => `require('net').connect(${address})`

/** A server of the command and a client of another of its processes; then a client of the server outside. */
const connectToOwnFirst = (address: string) => `
const net = require('net'), { spawn } = require('child_process')
const server = net.createServer((socket) => socket.end()).listen(0, '127.0.0.1', () => {
  const client = 'require("net").connect(' + server.address().port + ', "127.0.0.1", () => process.exit())'
  spawn(process.execPath, ['-e', client], { stdio: 'inherit' }).on('exit', (code) => {
    server.close()
    if (code === 0) console.log('own')
    net.connect(${address})
  })
})`

// libc has no add_key(2); numbers from asm/unistd_64.h, asm-generic/unistd.h. -2: the process keyring.
const addKey = `python3 -c '
import ctypes, os, sys
number = {"x86_64": 248, "aarch64": 217}[os.uname().machine]
libc = ctypes.CDLL(None, use_errno=True)
if libc.syscall(number, b"user", b"vitrine-doctor", b"x", ctypes.c_size_t(1), -2) < 0:
    sys.exit(os.strerror(ctypes.get_errno()))
'`

const survivor = attempt('leave a process behind in a session of its own', () => {
  let pid = 0
  return {
    request: { command: 'setsid sleep 120 > /dev/null 2>&1 & echo $!' },
    touched({ stdout }) {
      pid = Number(stdout)
      return pid > 1 && isAlive(pid)
    },
    clear: () => void (pid > 1 && isAlive(pid) && process.kill(pid, 'SIGKILL')),
  }
})

/** vitrine's exit code if it started nothing. */
const refused = 125

/** A descriptor that vitrine itself inherited: a command that inherits it could write through it. */
const inherited: Attempt = {
  name: 'write through an inherited descriptor',
  async run({ program: [file, ...args], directory: cwd, env }) {
    const line = 'echo x >&3'
    const writes = (name: string, program: string, argv: readonly string[]) => {
      const fd = openSync(join(cwd, name), 'w')
      const ran = spawnSync(program, argv, { cwd, env, stdio: ['ignore', 'ignore', 'pipe', fd] })
      closeSync(fd)
      return { written: statSync(join(cwd, name)).size > 0, status: ran.status, said: String(ran.stderr) }
    }
    const control = writes('control', '/bin/sh', ['-c', line])
    if (!control.written) return { state: 'untried', said: control.said }
    const { written, status, said } = writes('inherited', file, [...args, 'run', '--', line])
    if (written) return { state: 'open', said }
    return { state: status === refused || status === null ? 'untried' : 'enforced', said }
  },
}

/** Kills the host with SIGKILL, so that it cannot clean up. */
const hostKilled: Attempt = {
  name: 'outlive vitrine when it is killed',
  async run({ program: [file, ...args], directory: cwd, env }) {
    const line = 'sleep 120 > /dev/null 2>&1 & echo $!; wait'
    const argv = [...args, 'run', '--timeout', '60s', '--', line]
    const host = spawn(file, argv, { cwd, env, stdio: ['ignore', 'pipe', 'ignore'] })
    const [said] = await Promise.race([once(host.stdout, 'data'), once(host, 'close')])
    const pid = Number(said)
    const began = Buffer.isBuffer(said) && pid > 1 && isAlive(pid)
    host.kill('SIGKILL')
    if (!began) return { state: 'untried', said: 'it printed no process id' }
    if (await becomes(() => !isAlive(pid), 5000)) return { state: 'enforced', said: '' }
    process.kill(pid, 'SIGKILL')
    return { state: 'open', said: '' }
  },
}

const denialReported: Attempt = {
  name: 'name what was refused',
  async run({ read, directory }) {
    const { enforced, note = '' } = read.enforcement['denial reports'] ?? { enforced: false }
    if (!enforced) return { state: 'lacking', said: note }
    const { denials } = await read.execute({ command: ': > new', cwd: directory })
    // On a busy machine vitrine may not get to look whether the file exists: then it is a refused write.
    const told = denials.find(({ operation }) => operation === 'create' || operation === 'write')
    if (told) return { state: 'enforced', said: `${told.operation} ${told.path ?? note}` }
    // Where Yama hides the memory of commands this path cannot be reported; the call is still refused.
    return { state: note === '' ? 'open' : 'lacking', said: note }
  },
}

const throughLink =
  'link=$(mktemp -u) && ln -s "$PWD/file" "$link" && { chmod 600 "$link"; echo x >> "$link"; }; code=$?; rm -f "$link"; exit $code'

const outsideOfWorkspace = attempt(
  'write to a file outside of the workspace, after one inside (allowed)',
  (directory, { cwd }) => {
    const [inside, outside] = [join(cwd, 'inside'), join(directory, 'outside')]
    return {
      request: { command: `echo x > '${inside}'; echo x > '${outside}'` },
      touched: () => existsSync(outside),
      worked: () => existsSync(inside),
      clear: () => rmSync(inside, { force: true }),
    }
  },
  { 'shell.mode': 'workspace' },
)

const moreMemory = attempt(
  'fill more memory',
  () => ({
    request: { command: 'head -c 250000000 /dev/zero | tail -c 249000000 | wc -c' },
    touched: ({ limited, exitCode }) => limited === undefined && exitCode === 0,
  }),
  { 'limits.memory_bytes': 67_108_864 },
)

/** By right, one each, named as in `Enforcement`, which says what enforces it. */
export const attempts: Readonly<Record<string, Attempt>> = {
  'file contents': onFile('write to a file', 'echo changed > file'),
  'file metadata': onFile('change the mode', 'chmod 777 file'),
  reads: reading('read a file outside of the workspace', 'outside', { 'shell.reads': 'workspace' }),
  unreadable: reading('read an unreadable file', 'workspace', { 'shell.unreadable': ['./secret'] }),
  'device nodes': byExitCode('make a FIFO', 'mkfifo new'),
  locks: byExitCode('lock a directory exclusively', 'flock --exclusive --nonblock . true'),
  network: connecting('connect over TCP', onLoopback, connect),
  'unix sockets': connecting(
    'connect to a unix socket',
    (directory) => ({ path: join(directory, 'socket') }),
    connect,
  ),
  signals: onSleeper(
    'kill a process outside',
    (pid) => `kill -TERM ${pid}`,
    // If kill reports success, allow time: on a busy machine the sleeper may wait for a CPU before it ends.
    (pid, { exitCode }) => becomes(() => !isAlive(pid), exitCode === 0 ? 5000 : 100),
  ),
  'other processes': onSleeper(
    'change the priority of a process outside',
    (pid) => `renice -n ${Math.min(getPriority() + 1, 19)} -p ${pid}`,
    (pid) => getPriority(pid) !== getPriority(),
  ),
  // A queue persists until it is removed.
  ipc: byExitCode(
    'make a message queue',
    'queue=$(ipcmk -Q) && { ipcrm -q $(echo "$queue" | tr -dc 0-9); true; }',
  ),
  keys: byExitCode('add a key', addKey),
  namespaces: byExitCode('enter a new user namespace', 'unshare --user true'),
  system: byExitCode('set the host name, to what it is', 'hostname "$(hostname)"'),
  descriptors: inherited,
  survivors: survivor,
  'death of the host': hostKilled,
  'denial reports': denialReported,
  limits: moreMemory,
  'private tmp': onFile('write and chmod through a link in the private TMPDIR', throughLink, {
    'shell.private_tmp': true,
  }),
  'own sockets': connecting(
    'connect to the server of another process, after one of its own (allowed)',
    onLoopback,
    connectToOwnFirst,
    { settings: { 'shell.mode': 'workspace' }, worked: ({ stdout }) => stdout === 'own\n' },
  ),
  workspace: outsideOfWorkspace,
}
