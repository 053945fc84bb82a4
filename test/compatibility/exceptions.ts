import { cannotUnshare } from '../helpers/surroundings.ts'

/** A command that read mode changes, and why. */
export interface Exception {
  readonly line: string
  readonly needs?: readonly string[]
  readonly cause: string
  /** What tells the difference in read mode's output or errors. */
  readonly says: RegExp
  /** Why it does not work in write mode either; null where it does. */
  readonly cannot?: () => string | null
}

const refused = /read-only|permission denied|not permitted|cannot create|can't create|EACCES|EPERM|EROFS/i

const noTemporary = 'there is nowhere to write a temporary file (private_tmp gives one)'
const noShared = 'shared memory and its semaphores are visible to other processes'

/** Everything here works in write mode and fails, or says something else, in read mode. */
export const exceptions: readonly Exception[] = [
  { line: 'touch new-file', cause: 'it writes', says: refused },
  { line: 'chmod 600 README.md && chmod 644 README.md', cause: 'it changes metadata', says: refused },
  { line: 'mktemp -u >/dev/null && rm "$(mktemp)"', cause: noTemporary, says: refused },
  {
    line: 'bash -c \'head -c 300000 /dev/zero | tr "\\0" x > /dev/null; x=$(printf %0200000d 1); cat <<< "$x" | wc -c\'',
    needs: ['bash'],
    cause: `${noTemporary}: bash keeps a here-document larger than a pipe in one`,
    says: /cannot create temp file/,
  },
  { line: 'seq 300000 | sort -S 64k | tail -1', cause: noTemporary, says: refused },
  {
    line: 'python3 -c "import tempfile; tempfile.TemporaryFile(); print(1)"',
    needs: ['python3'],
    cause: noTemporary,
    says: /No usable temporary directory/,
  },
  {
    line: 'python3 -c "import multiprocessing as m; p = m.Pool(2); print(p.map(abs, [-1, -2])); p.close()"',
    needs: ['python3'],
    cause: noShared,
    says: refused,
  },
  {
    line: 'script -qc "echo hi" /dev/null',
    needs: ['script'],
    cause: 'it opens a pseudo-terminal',
    says: /./,
  },
  {
    line: 'flock README.md echo locked',
    needs: ['flock'],
    cause: 'an exclusive lock holds others up',
    says: /./,
  },
  {
    line: 'strace -o /dev/null true',
    needs: ['strace'],
    cause: 'it controls another process (ptrace)',
    says: refused,
  },
  {
    line: 'gdb -q -batch -nx -ex run -ex quit /bin/true 2>&1 | grep -c "exited normally"',
    needs: ['gdb'],
    cause: 'it controls another process (ptrace)',
    says: /^0$/m,
  },
  {
    line: "sqlite3 wal.db 'select count(*) from t'",
    needs: ['sqlite3'],
    cause: 'a database in WAL mode needs its -shm file, written by readers too',
    says: /unable to open|readonly|read-only/,
  },
  {
    line: 'ctags -x src/hello.c',
    needs: ['ctags'],
    cause: noTemporary,
    says: /cannot open temporary file/,
  },
  { line: 'parallel --will-cite -k echo ::: 1 2', needs: ['parallel'], cause: noTemporary, says: refused },
  { line: 'clang -o /dev/null src/hello.c', needs: ['clang'], cause: noTemporary, says: refused },
  { line: 'valgrind -q true', needs: ['valgrind'], cause: noTemporary, says: /failed to create temp file/ },
  {
    line: "ruby -rtempfile -e 'Tempfile.new(%q(x)); puts 1'",
    needs: ['ruby'],
    cause: noTemporary,
    says: refused,
  },
  {
    line: "zsh -fc 'cat =(echo x)'",
    needs: ['zsh'],
    cause: noTemporary,
    says: refused,
  },
  { line: 'svn blame svn/a', needs: ['svn', 'svnadmin'], cause: noTemporary, says: /temporary directory/ },
  {
    line: 'hg -R hg verify',
    needs: ['hg'],
    cause: 'it takes the lock of the repository',
    says: /could not lock repository/,
  },
  {
    line: 'ag --affinity answer src/main.py',
    needs: ['ag'],
    cause: 'it binds its threads to processors, by a number that could be another process',
    says: /setaffinity/,
  },
  {
    line: "expect -c 'log_user 0; spawn echo hi; expect hi; puts ok'",
    needs: ['expect'],
    cause: 'it opens a pseudo-terminal',
    says: /no more ptys/,
  },
  {
    line: 'gpg -q --no-permission-warning --homedir gpg --list-keys 2>/dev/null || echo refused',
    needs: ['gpg'],
    cause: 'it locks its keyrings before it looks',
    says: /^refused/m,
  },
  {
    line: 'python3 -c "import socket; socket.socket().bind((\'127.0.0.1\', 0)); print(1)"',
    needs: ['python3'],
    cause: 'it opens a socket',
    says: refused,
  },
  { line: 'git add untracked.txt && git reset -q', needs: ['git'], cause: 'it writes', says: refused },
  { line: 'gcc -o /dev/null src/hello.c', needs: ['gcc'], cause: noTemporary, says: refused },
  {
    line: 'setsid sh -c \'[ "$(ps -o sid= -p $$)" -eq $$ ] && echo leads a session\'',
    needs: ['ps'],
    cause: 'setsid is pretended: every descendant keeps its session, so that none outlives the command',
    says: /^$/,
  },
  { line: 'ln README.md hard-link && rm hard-link', cause: 'it writes', says: refused },
  { line: 'mkfifo pipe && rm pipe', cause: 'it writes', says: refused },
  {
    line: 'unshare -U true',
    needs: ['unshare'],
    cause: 'a namespace of its own would undo the rest',
    says: refused,
    cannot: () => cannotUnshare('--user'),
  },
]
