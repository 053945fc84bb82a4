import { spawnSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { users } from '../../../attacks/table.ts'
import { ownWorldMissing } from '../../../helpers/own-world.ts'
import { makeDirectory } from '../../../helpers/place.ts'
import { isExecutable } from '../../../helpers/repository.ts'
import { runAs } from '../../../helpers/run-as.ts'

const missing = process.platform === 'linux' ? ownWorldMissing() : 'needs Linux'

interface Program {
  readonly name: string
  readonly file: string
  readonly package: string
  readonly line: string
  readonly says: string
  /** PostgreSQL refuses to be root's. */
  readonly notAsRoot?: boolean
}

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

const programs: readonly Program[] = [
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

for (const user of users)
  describe.skipIf(missing !== null)(`${user.name} runs in workspace mode as outside`, () => {
    for (const { name, line, says, ...program } of programs) {
      const refuses = program.notAsRoot && user.uid === 0
      it.skipIf(refuses || !isExecutable(program.file))(`${name} (needs ${program.package})`, async () => {
        const [cwd, TMPDIR] = [makeDirectory(), makeDirectory()]
        for (const directory of [cwd, TMPDIR]) chmodSync(directory, 0o777)
        const { uid, gid } = user
        const env = { PATH: '/usr/bin:/bin', TMPDIR }
        const outside = spawnSync('sh', ['-c', line], {
          uid,
          gid,
          cwd,
          env,
          encoding: 'utf8',
          timeout: 90_000,
        })
        expect(outside).toMatchObject({ stdout: says, status: 0 })
        const [inside] = await runAs(user, {
          options: { mode: 'workspace', cwd },
          commands: [['sh', '-c', line]],
          timeoutMs: 90_000,
        })
        expect(inside).toMatchObject({ stdout: says, exitCode: 0 })
      })
    }
  })
