import { spawnSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type User, users } from '../../../attacks/table.ts'
import { makeDirectory } from '../../../helpers/place.ts'
import { isExecutable } from '../../../helpers/repository.ts'
import { runAs } from '../../../helpers/run-as.ts'
import { noWorld } from './world.ts'

interface Program {
  readonly name: string
  readonly file: string
  readonly package: string
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

const perlSockets = `
use strict; use IO::Socket::INET; use IO::Socket::UNIX; use IO::Socket::IP;
my @servers = (
  [IO::Socket::INET->new(Listen => 5, LocalAddr => "127.0.0.1"), "IO::Socket::INET", sub { (PeerAddr => "127.0.0.1", PeerPort => $_[0]->sockport) }],
  [IO::Socket::IP->new(Listen => 5, LocalHost => "::1"), "IO::Socket::IP", sub { (PeerHost => "::1", PeerPort => $_[0]->sockport) }],
  [IO::Socket::UNIX->new(Listen => 5, Local => "$ENV{TMPDIR}/perl.sock"), "IO::Socket::UNIX", sub { (Peer => "$ENV{TMPDIR}/perl.sock") }],
);
for (@servers) {
  my ($server, $class, $peer) = @$_;
  die "$class: $@ $!" unless $server;
  if (!fork) { my $client = $class->new($peer->($server)) or die "$class: $@ $!"; print $client "ping\\n"; print "$class ", scalar <$client>; exit }
  my $client = $server->accept; my $line = <$client>; $line =~ s/ping/pong/; print $client $line; close $client; wait;
}`

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
    line: `cat >"$TMPDIR/browse.cjs" <<'END'${browsed}
END
HOME="$TMPDIR" exec '${process.execPath}' "$TMPDIR/browse.cjs" ${chromiumOptions} \\
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
    name: 'expect, with a program in a terminal',
    file: '/usr/bin/expect',
    package: 'expect',
    line: `expect -c 'log_user 0; set timeout 20
spawn sh -c {test -t 0 && echo ready; read line; echo "got $line"}
expect ready {} timeout {exit 1}; send "hello\\r"; expect "got hello" {puts "answered"} timeout {exit 1}; expect eof'`,
    says: 'answered\n',
  },
  {
    name: 'expect, with Ctrl+C to a program in a terminal',
    file: '/usr/bin/expect',
    package: 'expect',
    line: `expect -c 'log_user 0; set timeout 20
spawn sh -c {trap "echo interrupted; exit 3" INT; echo ready; read line}
expect ready {} timeout {exit 1}; send "\\003"; expect interrupted {} timeout {exit 1}; expect eof; puts "exit [lindex [wait] 3]"'`,
    says: 'exit 3\n',
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
    name: "bash's job control in a terminal",
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
    name: "perl's IO::Socket",
    file: '/usr/bin/perl',
    package: 'perl',
    line: `cat >"$TMPDIR/sockets.pl" <<'END'${perlSockets}
END
perl "$TMPDIR/sockets.pl"`,
    says: 'IO::Socket::INET pong\nIO::Socket::IP pong\nIO::Socket::UNIX pong\n',
  },
]

function runOutside({ uid, gid }: User, line: string) {
  const [cwd, TMPDIR] = [makeDirectory(), makeDirectory()]
  for (const directory of [cwd, TMPDIR]) chmodSync(directory, 0o777)
  const env = { PATH: '/usr/bin:/bin', TMPDIR }
  return spawnSync('sh', ['-c', line], { uid, gid, cwd, env, encoding: 'utf8', timeout: 90_000 })
}

async function runInside(user: User, { line }: Program, mode: 'workspace' | 'read') {
  const cwd = makeDirectory()
  chmodSync(cwd, 0o777)
  const [ran] = await runAs(user, {
    options: { mode, cwd, privateTmp: true },
    commands: [['sh', '-c', line]],
    timeoutMs: 90_000,
    temporary: '/tmp', // Chromium's socket in it has a long name (unix(7))
  })
  return ran
}

for (const user of users)
  describe.skipIf(noWorld)(`${user.name} runs in workspace mode and in read mode as outside`, () => {
    for (const { long, ...program } of programs) {
      const leftOut = (program.notAsRoot || (long && !all)) && user.uid === 0
      it.skipIf(leftOut || !isExecutable(program.file))(
        `${program.name} (needs ${program.package})`,
        async () => {
          expect(runOutside(user, program.line)).toMatchObject({ stdout: program.says, status: 0 })
          for (const mode of long && !all ? (['workspace'] as const) : (['workspace', 'read'] as const))
            expect(await runInside(user, program, mode), mode).toMatchObject({
              stdout: program.says,
              exitCode: 0,
            })
        },
      )
    }
  })
