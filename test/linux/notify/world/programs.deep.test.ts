import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type User, users } from '../../../attacks/table.ts'
import { fetched } from '../../../fixtures/suites/suites.mjs'
import { makeDirectory } from '../../../helpers/place.ts'
import { runAs } from '../../../helpers/run-as.ts'
import { noWorld } from './world.ts'

interface Program {
  readonly name: string
  readonly file: string
  readonly package: string
  /** Makes files in the directory in which `line` runs. */
  readonly prepare?: string
  readonly line: string
  readonly says: string
  /** PostgreSQL refuses to be root's. */
  readonly notAsRoot?: boolean
  /** Where not every suite is run: as an ordinary user and in workspace mode only. */
  readonly long?: boolean
}

const all = process.env['VITRINE_SUITES'] === 'all'

const freePort = `import socket
taken = socket.socket(); taken.bind(("127.0.0.1", 0)); print(taken.getsockname()[1])`
const port = `port=$(/usr/bin/python3 -c '${freePort}')`

const fetching = 'scripts/fetch-suites.mjs'
const modules = join(fetched, 'node_modules')
const linked = `ln -s '${modules}' node_modules; echo '{ "type": "module" }' >package.json\n`
const path = `PATH="${dirname(process.execPath)}:$PWD/node_modules/.bin:$PATH"\n`
const written = (name: string, text: string) => `cat >${name} <<'END'\n${text}\nEND\n`

/** tsx asks its own server, on a unix socket, in each process. */
const twice = `
import { spawnSync } from 'node:child_process'
const twice = (n: number): number => n * 2
const child = (): string => spawnSync('tsx', ['twice.ts', 'child'], { encoding: 'utf8' }).stdout.trim()
console.log(twice(21), process.argv[2] ?? child())
`

/** The page changes when the browser is told so over a websocket. */
const reloading = `
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'vite'
import WebSocket from 'ws'
const root = mkdtempSync(join(tmpdir(), 'vite-'))
const write = (name, text) => writeFileSync(join(root, name), text)
write('index.html', '<script type="module" src="/main.js"></script>')
write('main.js', 'import { n } from "./part.js"; import.meta.hot?.accept("./part.js", () => {}); console.log(n)')
write('part.js', 'export const n = 1')
const server = await createServer({
  root, configFile: false, logLevel: 'error', cacheDir: join(root, '.vite'),
  optimizeDeps: { noDiscovery: true }, server: { port: 0, host: '127.0.0.1' },
})
await server.listen()
const at = '127.0.0.1:' + server.httpServer.address().port
for (const path of ['/', '/main.js', '/part.js']) await (await fetch('http://' + at + path)).text()
const browser = new WebSocket('ws://' + at + '/?token=' + server.config.webSocketToken, 'vite-hmr')
browser.on('message', async (data) => {
  const { type, updates } = JSON.parse(String(data))
  if (type === 'connected') write('part.js', 'export const n = 2')
  if (type !== 'update') return
  console.log(type, updates[0].acceptedPath)
  browser.close()
  await server.close()
  process.exit()
})
`

/** Its page is complete when it has fetched from the server. */
const browsed = `
const { createServer } = require('node:http')
const page = '<p id="said"></p><script>fetch("/data").then((answer) => answer.text()).then((text) => { said.textContent = text })</script>'
const server = createServer(({ url }, response) => {
  response.setHeader('content-type', 'text/html')
  response.end(url === '/data' ? 'pong' : page)
}).listen(0, '127.0.0.1', () => {
  const { port } = server.address()
  const argv = [...process.argv.slice(2), 'http://127.0.0.1:' + port]
  require('node:child_process').execFile('chromium', argv, (_error, stdout) => {
    console.log(/<p id="said">(.*?)<[/]p>/.exec(stdout)?.[1])
    server.close()
  })
})`

/** Nothing of it leaves the machine. Its own sandbox needs namespaces, which root's does not get outside, either. */
const chromiumOptions = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync', '--virtual-time-budget=5000', '--dump-dom'],
].join(' ')

const programs: readonly Program[] = [
  {
    name: 'Chromium, on a page of a server beside it',
    file: '/usr/bin/chromium',
    package: 'chromium',
    prepare: written('browse.cjs', browsed),
    line: `HOME="$TMPDIR" exec '${process.execPath}' browse.cjs ${chromiumOptions} \\
  --host-resolver-rules='MAP * ~NOTFOUND, EXCLUDE 127.0.0.1' --user-data-dir="$TMPDIR/profile"`,
    says: 'pong\n',
  },
  {
    name: 'Gradle, with its daemon',
    file: '/usr/bin/gradle',
    package: 'gradle',
    long: true,
    line: `export GRADLE_USER_HOME="$TMPDIR/gradle" JAVA_TOOL_OPTIONS="-Djava.io.tmpdir=$TMPDIR" HOME="$TMPDIR"
mkdir "$TMPDIR/project"; cd "$TMPDIR/project"; echo 'task hello { doLast { println "built" } }' >build.gradle
for build in 1 2; do gradle --offline --daemon -q hello 2>/dev/null; done
gradle --status 2>/dev/null | grep -c IDLE; gradle --stop 2>/dev/null | tail -n 1`,
    says: 'built\nbuilt\n1\n1 Daemon stopped\n',
  },
  {
    name: 'PostgreSQL, by its unix socket and by its port',
    file: '/usr/lib/postgresql/15/bin/initdb',
    package: 'postgresql',
    notAsRoot: true,
    line: `set -e; PATH=/usr/lib/postgresql/15/bin:$PATH; ${port}
initdb -D "$TMPDIR/data" -A trust -U tester --no-sync >/dev/null
pg_ctl -D "$TMPDIR/data" -w -l "$TMPDIR/log" -o "-p $port -k $TMPDIR -F" start >/dev/null || { cat "$TMPDIR/log"; exit 1; }
for host in "$TMPDIR" 127.0.0.1 localhost; do psql -h "$host" -p "$port" -U tester -d postgres -Atc 'select 6 * 7'; done
pg_ctl -D "$TMPDIR/data" -m fast -w stop >/dev/null; echo stopped`,
    says: '42\n42\n42\nstopped\n',
  },
  {
    name: 'Redis, by its unix socket and by its port',
    file: '/usr/bin/redis-server',
    package: 'redis-server',
    line: `${port}
redis-server --port "$port" --unixsocket "$TMPDIR/redis" --save '' --dir "$TMPDIR" --daemonize no >"$TMPDIR/log" &
until redis-cli -p "$port" ping >/dev/null 2>&1 && [ -S "$TMPDIR/redis" ]; do kill -0 $! || exit 1; sleep 0.05; done
redis-cli -p "$port" set key value; redis-cli -s "$TMPDIR/redis" get key; redis-cli -p "$port" shutdown nosave; wait; echo ended`,
    says: 'OK\nvalue\nended\n',
  },
  {
    name: 'script, with /dev/tty, stty and a session of its own',
    file: '/usr/bin/script',
    package: 'bsdutils',
    line: `script -qec 'echo shown >/dev/tty; stty rows 7 columns 70; stty size </dev/tty; stty -F "$(tty)" size
test "$(ps -o sid= -p $$)" -eq "$(ps -o tpgid= -p $$)" && echo leads' /dev/null </dev/null | tr -d '\\r'`,
    says: 'shown\n7 70\n7 70\nleads\n',
  },
  {
    name: "expect, with bash's job control in a terminal",
    file: '/usr/bin/expect',
    package: 'expect',
    line: `cat >"$TMPDIR/job" <<'END'
echo begun; exec sed -u s/^/got:/
END
PS1='> ' HISTFILE= expect -c 'log_user 0; set timeout 20
proc want {what} {expect $what {} timeout {puts "no $what"; exit 1} eof {puts "eof, no $what"; exit 1}}
spawn bash --norc --noprofile -i; want "> "
send "sh \\$TMPDIR/job\\r"; want begun; send "\\032"; want Stopped; want "> "
send "fg\\r"; want "job\\r"; send "line\\r"; want "got:line"; send "\\003"; want "> "; send "echo status $?\\r"; want "status 130"; want "> "
send "sleep 61 &\\r"; want "> "; send "jobs -r\\r"; want Running; send "kill %1; wait; echo over\\r"; want "\\nover"; want "> "
send "exit 4\\r"; expect eof; puts "exit [lindex [wait] 3]"'`,
    says: 'exit 4\n',
  },
  {
    name: 'tmux, with a server of its own',
    file: '/usr/bin/tmux',
    package: 'tmux',
    line: `export TERM=xterm LC_ALL=C.UTF-8; t() { tmux -f /dev/null -S "$TMPDIR/tmux" "$@"; }
t new-session -d -x 80 -y 24 sh; t send-keys 'stty size </dev/tty; echo do""ne' Enter
until t capture-pane -p | grep -q '^done'; do sleep 0.05; done; t capture-pane -p | grep -o '24 80'
t resize-window -x 90 -y 20; t send-keys 'clear; stty size; echo ag""ain' Enter
until t capture-pane -p | grep -q '^again'; do sleep 0.05; done; t capture-pane -p | grep -o '20 90'
t send-keys 'sleep 60' Enter; until t list-panes -F '#{pane_current_command}' | grep -q sleep; do sleep 0.05; done
t send-keys C-c; until t list-panes -F '#{pane_current_command}' | grep -qx sh; do sleep 0.05; done
t kill-server; echo ended`,
    says: '24 80\n20 90\nended\n',
  },
  {
    name: 'tsx, in a program and its child',
    file: join(modules, 'tsx/dist/cli.mjs'),
    package: fetching,
    prepare: linked + written('twice.ts', twice),
    line: `${path} tsx twice.ts`,
    says: '42 42 child\n',
  },
  {
    name: "vite's development server, which reloads a module",
    file: join(modules, 'vite/package.json'),
    package: fetching,
    prepare: linked + written('reloading.mjs', reloading),
    line: `${path} node reloading.mjs`,
    says: 'update /part.js\n',
  },
  {
    name: 'nx, with its daemon',
    file: join(modules, 'nx/bin/nx.js'),
    package: fetching,
    prepare: `${linked} echo '{ "useDaemonProcess": true, "analytics": false }' >nx.json; mkdir one
echo '{ "name": "one", "targets": { "say": { "command": "echo said" } } }' >one/project.json`,
    line: `${path} export CI=false NX_DAEMON=true NX_CACHE_DIRECTORY="$TMPDIR/cache" NX_WORKSPACE_DATA_DIRECTORY="$TMPDIR/data"
nx run one:say 2>&1 | grep -x said; grep -o 'Handled RECORD_TASK_RUNS' "$TMPDIR/data/d/daemon.log"; nx daemon --stop >/dev/null 2>&1`,
    says: 'said\nHandled RECORD_TASK_RUNS\n',
  },
  {
    name: 'pytest-xdist, with two workers',
    file: '/usr/lib/python3/dist-packages/xdist/plugin.py',
    package: 'python3-pytest-xdist',
    prepare: written(
      'test_workers.py',
      `import os, pytest
@pytest.mark.parametrize('number', range(20))
def test_worker(number): assert os.environ['PYTEST_XDIST_WORKER'] in ('gw0', 'gw1')`,
    ),
    line: '/usr/bin/python3 -m pytest -q -p no:cacheprovider -n 2 | grep -o "[0-9]* passed"',
    says: '20 passed\n',
  },
]

function makePlace({ uid, gid }: User, { prepare = '' }: Program): string {
  const cwd = makeDirectory()
  chmodSync(cwd, 0o777)
  execFileSync('sh', ['-ec', prepare], { uid, gid, cwd })
  return cwd
}

function runOutside(user: User, program: Program) {
  const TMPDIR = makeDirectory()
  chmodSync(TMPDIR, 0o777)
  const { uid, gid } = user
  const options = { uid, gid, cwd: makePlace(user, program), env: { PATH: '/usr/bin:/bin', TMPDIR } }
  return spawnSync('sh', ['-c', program.line], { ...options, encoding: 'utf8', timeout: 90_000 })
}

async function runInside(user: User, program: Program, mode: 'workspace' | 'read') {
  const [ran] = await runAs(user, {
    options: { mode, cwd: makePlace(user, program), privateTmp: true },
    commands: [['sh', '-c', program.line]],
    timeoutMs: 90_000,
    temporary: '/tmp', // Chromium's socket in it has a long name (unix(7))
  })
  return ran
}

/** Whether the user has it. */
const has = ({ uid, gid }: User, file: string) =>
  spawnSync('test', ['-r', file], { uid, gid, cwd: '/' }).status === 0

for (const user of users)
  describe.skipIf(noWorld)(`${user.name} runs in workspace mode and in read mode as outside`, () => {
    for (const { long, ...program } of programs) {
      const leftOut = (program.notAsRoot || (long && !all)) && user.uid === 0
      it.skipIf(leftOut || !has(user, program.file))(
        `${program.name} (needs ${program.package})`,
        async () => {
          expect(runOutside(user, program)).toMatchObject({ stdout: program.says, status: 0 })
          for (const mode of long && !all ? (['workspace'] as const) : (['workspace', 'read'] as const))
            expect(await runInside(user, program, mode), mode).toMatchObject({
              stdout: program.says,
              exitCode: 0,
            })
        },
      )
    }
  })
