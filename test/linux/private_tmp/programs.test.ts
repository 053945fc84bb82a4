import { beforeAll, describe, expect, it } from 'vitest'
import { isInstalled } from '../../helpers/programs.ts'
import { cannotBorrow } from '../../helpers/surroundings.ts'
import { type Ground, makeGround } from './ground.ts'

let ground: Ground

beforeAll(async () => {
  ground = await makeGround()
})

const source = `printf 'int puts(const char *);\\nint main(void) { puts("it runs"); return 0; }\\n' > a.c`
const files = 'mkdir s && echo a > s/a && chmod 750 s/a && ln -s a s/link && echo b > s/b'

/**
 * What everyday programs do with temporary files, by the programs that it takes and what it is. Each line must end with 0, print nothing
 * on stderr, and be refused nothing.
 */
const lines: Readonly<Record<string, string>> = {
  'mktemp: mktemp': 'f=$(mktemp) && d=$(mktemp -d) && echo x > "$f" && rmdir "$d"',
  'sort seq: sort of what does not fit its buffer':
    'seq 300000 | sort -S 1M -r | head -1 | grep -qx 99999 && seq 300000 | sort -S 1M -n | tail -1 | grep -qx 300000',
  'bash: a here-document of 1 MB': `bash -c 'x=$(head -c 1000000 /dev/zero | tr "\\0" a)
test $(wc -c <<E
$x
E
) = 1000001'`,
  'zsh: a here-document of zsh': `zsh -fc 'x=$(head -c 1000000 /dev/zero | tr "\\0" a)
test $(wc -c <<E
$x
E
) = 1000001'`,
  'python3: tempfile and shutil of Python': `echo x > a; python3 -c '
import tempfile, shutil, os
with tempfile.NamedTemporaryFile() as f, tempfile.TemporaryFile() as g, tempfile.TemporaryDirectory() as d:
    g.write(b"x"); shutil.copy2("a", d); shutil.copystat("a", f.name); shutil.copytree(".", d + "/all", ignore=lambda *_: [os.path.basename(d)])'`,
  'gcc: gcc: compile, link, run': `${source} && gcc a.c && ./a.out | grep -q 'it runs'`,
  'clang: clang: compile, link, run': `${source} && clang a.c && ./a.out | grep -q 'it runs'`,
  'ctags: ctags to the standard output': `${source} && ctags -x a.c | grep -q '^main'`,
  'valgrind gcc: valgrind': `${source} && gcc -g a.c && valgrind -q ./a.out | grep -q 'it runs'`,
  'zsh: a file of zsh in place of an argument': `zsh -fc 'test "$(cat =(echo x))" = x'`,
  'gcc ar strip: ar, ranlib, strip': `${source} && gcc -c a.c && ar rcs l.a a.o && ranlib l.a && gcc l.a && strip a.out && ./a.out`,
  'sqlite3: sqlite3: files, temporary tables, WAL': `sqlite3 db "create table t(a); insert into t values(1); create temp table x as select * from t; vacuum; pragma journal_mode=wal; insert into t select a+1 from t" && test "$(sqlite3 db 'select sum(a) from t')" = 3`,
  'node: os.tmpdir() of Node': `${files}; node -e '
const fs = require("node:fs"), d = fs.mkdtempSync(require("node:path").join(require("node:os").tmpdir(), "x"))
fs.copyFileSync("s/a", d + "/a"); fs.utimesSync(d + "/a", 1, 1); fs.chmodSync(d + "/a", 0o600)
fs.cpSync("s", d + "/s", { recursive: true, preserveTimestamps: true, verbatimSymlinks: true }); fs.rmSync(d, { recursive: true })'`,
  'git: git: init, commit, gc, clone, branch':
    'export GIT_AUTHOR_NAME=n GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=n GIT_COMMITTER_EMAIL=a@b; git init -q r && cd r && echo x > f && git add . && git commit -qm m && git gc -q && git clone -q . ../r2 && cd ../r2 && git checkout -qb z && test "$(git log --format=%s)" = m',
  'tar: tar': `${files}; tar cf s.tar s && mkdir o && tar xpf s.tar -C o && test "$(stat -c %a%Y s/a)" = "$(stat -c %a%Y o/s/a)"`,
  'cp: cp -a, mv, ln': `${files}; cp -a s t && mv t/a t/c && mv t/c . && ln c d && cp -p c e && cp c f`,
  'install: install, touch, chmod -R': `${files}; install -m 755 s/a i && install -d -m 700 x/y && touch -d 2020-01-01 i && chmod -R a+r s`,
  'patch: sed -i, patch': `${files}; cp s/a a2 && sed -i s/a/z/ a2 && { diff -u s/a a2 > p; patch -s s/a < p; } && grep -q z s/a`,
  'flock: flock':
    '{ flock -n 9 && ! flock -n lock true; } 9>lock && (flock 9; sleep 0.2) 9>lock & sleep 0.1; flock lock true; wait',
  'mkfifo: FIFOs': 'mkfifo p && { echo x > p & } && grep -qx x p',
  'truncate: truncate': 'echo x > a && truncate -s 100 a && test "$(stat -c %s a)" = 100',
  'python3: truncate(2), shared mappings, locks of fcntl(2)': `python3 -c '
import os, mmap, fcntl
open("a", "w").write("x" * 5000); os.truncate("a", 4096); f = open("a", "r+b"); fcntl.lockf(f, fcntl.LOCK_EX)
m = mmap.mmap(f.fileno(), 4096); m[0:1] = b"y"; m.flush(); os.ftruncate(f.fileno(), 10); assert open("a").read(1) == "y"'`,
}

describe('in a private directory works', () => {
  it.for(Object.entries(lines))('%s', async ([what, line], context) => {
    const needs = what.slice(0, what.indexOf(':')).split(' ')
    const missing = needs.find((program) => !isInstalled(program))
    if (missing !== undefined) context.skip(`${missing} is not installed`)
    const unable = needs.includes('flock') ? cannotBorrow() : null
    if (unable !== null) context.skip(unable)
    const { exitCode, stderr, denials } = await ground.run(`cd "$TMPDIR" || exit 1\n${line}`)
    expect({ exitCode, stderr, denials }).toEqual({ exitCode: 0, stderr: '', denials: [] })
    expect(ground.left()).toEqual([])
  })
})
