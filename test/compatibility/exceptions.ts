import { cannotUnshare } from '../helpers/surroundings.ts'

/** A command that read mode changes, and why. */
export interface Exception {
  readonly line: string
  readonly cause: string
  /** What tells the difference in read mode's output or errors. */
  readonly says: RegExp
  readonly needs: readonly string[]
  /** Why it does not work in write mode either; null where it does. */
  readonly cannot?: () => string | null
}

const refused = /read-only|permission denied|not permitted|cannot create|can't create|EACCES|EPERM|EROFS/i

/** A line needs its own program, and more where more is named. */
const row = (cause: string, line: string, says = refused, ...needs: readonly string[]): Exception => ({
  line,
  cause,
  says,
  needs: [...line.split(' ', 1), ...needs],
})

const writing = 'it writes'
const tracing = 'it controls another process (ptrace)'
const noTemporary = 'there is nowhere to write a temporary file (private_tmp gives one)'
const noShared = 'shared memory and its semaphores are visible to other processes'
const noTerminal = 'it opens a pseudo-terminal'
const here = `${noTemporary}: bash keeps a here-document larger than a pipe in one`
const wal = 'a database in WAL mode needs its -shm file, written by readers too'
const affinity = 'it binds its threads to processors, by a number that could be another process'
const session = 'setsid is pretended: every descendant keeps its session, so that none outlives the command'

const large =
  'head -c 300000 /dev/zero | tr "\\0" x > /dev/null; x=$(printf %0200000d 1); cat <<< "$x" | wc -c'
const pool = 'import multiprocessing as m; p = m.Pool(2); print(p.map(abs, [-1, -2])); p.close()'
const gdb = 'gdb -q -batch -nx -ex run -ex quit /bin/true 2>&1 | grep -c "exited normally"'
const gpg = 'gpg -q --no-permission-warning --homedir gpg --list-keys 2>/dev/null || echo refused'
const leads = 'setsid sh -c \'[ "$(ps -o sid= -p $$)" -eq $$ ] && echo leads a session\''

/** Everything here works in write mode and fails, or says something else, in read mode. */
export const exceptions: readonly Exception[] = [
  row(writing, 'touch new-file'),
  row('it changes metadata', 'chmod 600 README.md && chmod 644 README.md'),
  row(noTemporary, 'mktemp -u >/dev/null && rm "$(mktemp)"'),
  row(here, `bash -c '${large}'`, /cannot create temp file/),
  row(noTemporary, 'seq 300000 | sort -S 64k | tail -1'),
  row(
    noTemporary,
    'python3 -c "import tempfile; tempfile.TemporaryFile(); print(1)"',
    /No usable temporary directory/,
  ),
  row(noShared, `python3 -c "${pool}"`),
  row(noTerminal, 'script -qc "echo hi" /dev/null', /./),
  row('an exclusive lock holds others up', 'flock README.md echo locked', /./),
  row(tracing, 'strace -o /dev/null true'),
  row(tracing, gdb, /^0$/m),
  row(wal, "sqlite3 wal.db 'select count(*) from t'", /unable to open|readonly|read-only/),
  row(noTemporary, 'ctags -x src/hello.c', /cannot open temporary file/),
  row(noTemporary, 'parallel --will-cite -k echo ::: 1 2'),
  row(noTemporary, 'clang -o /dev/null src/hello.c'),
  row(noTemporary, 'valgrind -q true', /failed to create temp file/),
  row(noTemporary, "ruby -rtempfile -e 'Tempfile.new(%q(x)); puts 1'"),
  row(noTemporary, "zsh -fc 'cat =(echo x)'"),
  row(noTemporary, 'svn blame svn/a', /temporary directory/, 'svnadmin'),
  row('it takes the lock of the repository', 'hg -R hg verify', /could not lock repository/),
  row(affinity, 'ag --affinity answer src/main.py', /setaffinity/),
  row(noTerminal, "expect -c 'log_user 0; spawn echo hi; expect hi; puts ok'", /no more ptys/),
  row('it locks its keyrings before it looks', gpg, /^refused/m),
  row('it opens a socket', 'python3 -c "import socket; socket.socket().bind((\'127.0.0.1\', 0)); print(1)"'),
  row(writing, 'git add untracked.txt && git reset -q'),
  row(noTemporary, 'gcc -o /dev/null src/hello.c'),
  row(session, leads, /^$/, 'ps'),
  row(writing, 'ln README.md hard-link && rm hard-link'),
  row(writing, 'mkfifo pipe && rm pipe'),
  {
    ...row('a namespace of its own would undo the rest', 'unshare -U true'),
    cannot: () => cannotUnshare('--user'),
  },
]
