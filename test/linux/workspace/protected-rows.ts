import { namedLines } from '../../helpers/words.ts'

/** One way to change something protected, or something outside. Runs in the workspace; `../outside` is beside it. */
export interface Row {
  readonly name: string
  readonly argv: readonly string[]
  /** Programs that some machines do not have. */
  readonly needs?: readonly string[]
  /** A Python program that prepares the workspace before the command, outside of vitrine. */
  readonly prepare?: string
  /** A command line whose output must not change either. */
  readonly look?: readonly string[]
  /** The control takes root's rights. */
  readonly root?: true
  /** The control takes a call that containers refuse, or a file system other than theirs. */
  readonly refusedInContainers?: true
}

const optional = ['tar', 'cpio', 'rsync']

export function shell(text: string): Row[] {
  return text
    .trim()
    .split('\n')
    .map((script) => ({
      name: script,
      argv: ['sh', '-c', script],
      needs: optional.filter((program) => script.split(/[\s;()]+/).includes(program)),
    }))
}

/** Numbers of system calls that Python does not know, the same for x86-64 and arm64 (asm-generic/unistd.h). */
const python = `
import ctypes, errno, fcntl, mmap, os, platform, socket, stat, struct, subprocess, sys
libc = ctypes.CDLL(None, use_errno=True)
x86 = platform.machine() == 'x86_64'
RENAMEAT2, OPEN_BY_HANDLE_AT, NAME_TO_HANDLE_AT = (316, 304, 303) if x86 else (276, 265, 264)
OPEN_TREE, MOVE_MOUNT, LINKAT = 428, 429, 265 if x86 else 37
AT = -100
def call(number, *words):
    words = [w.encode() if isinstance(w, str) else w for w in words]
    if libc.syscall(number, *words) < 0: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
def opened(path, flags, **more): return os.open(path, flags, 0o644, **more)
def scribble(fd): os.write(fd, b'changed')
`

export function py(name: string, text: string, more: Omit<Row, 'name' | 'argv'> = {}): Row {
  return { name, argv: ['python3', '-c', `${python}${text}`], needs: ['python3'], ...more }
}

/** `NAME: PROGRAM`, a line each. */
export function pythons(text: string, more: Omit<Row, 'name' | 'argv'> = {}): Row[] {
  return namedLines(text).map(([name, program]) => py(name, program, more))
}

const plain = shell(String.raw`
echo x >> .git/config
echo x > .git/hooks/pre-commit
echo x > .git/info/attributes
echo x > ./src/../.git/./config
echo x > "$PWD"/.git/config
rm .git/config
rm -rf .git
rm -rf .vscode
mv .git elsewhere
mv .git/hooks elsewhere
mv .vscode elsewhere
mv src/main.c .git/config
mv src .git/hooks
cp src/main.c .git/config
cp src/main.c .vscode/settings.json
install src/main.c .git/hooks/pre-commit
ln -f src/main.c .git/config
ln .git/config src/config && echo x >> src/config
ln .git/config config && echo x >> config
ln -s .git/hooks hooks && echo x > hooks/pre-commit
ln -s ../.git src/git && echo x > src/git/config
ln -sfn src .git/hooks
chmod 777 .git/config
chmod 777 .git/hooks
touch -d 2001-01-01 .git/config
truncate -s 0 .git/config
sed -i s/core/x/ .git/config
git config a.b c
git remote add origin elsewhere
git mv .vscode code
git rm -rq --cached .vscode; git clean -fdqx .vscode; rm -rf .vscode
mkdir -p made/hooks && echo x > made/config && rm -rf .git/* ; mv -T made .git; cp -r made/. .git/
mkdir made && echo x > made/settings.json && tar cf all.tar -C made . && tar xf all.tar -C .vscode
mkdir -p made/.vscode && echo x > made/.vscode/settings.json && rsync -a made/ ./
mkdir -p made/.vscode && echo x > made/.vscode/settings.json && cp -r made/. .
echo x > .envrc
mv src/main.c .envrc
ln src/main.c .envrc
ln -s src/main.c .envrc
mkfifo .mcp.json
mkdir .idea
mv src .claude
ln -s src .claude
cp -r src .claude
mkdir -p .github/workflows
mkdir -p made/workflows && mv made .github
mkdir -p made/workflows && ln -s made .github
mkdir -p made/workflows && mkdir .github && mv -T made .github
mkdir .github && mv src .github/workflows
mkdir -p src/git && mv src/git .git/modules && mkdir -p .git/modules/a/hooks && mv .git/hooks .git/modules/a/hooks
mkdir evil && printf '#!/bin/sh\necho x > ../outside/file\n' > evil/pre-commit && chmod +x evil/pre-commit && echo x > new && git add new && git -c core.hooksPath=evil -c user.name=a -c user.email=b commit -qm x
echo x > ../outside/file
echo x > ../outside/new
ln -s ../outside out && echo x > out/new
ln -s ../outside/new out && echo x > out
mv src ../outside
mv ../outside/file src/file
ln ../outside/file src/file && echo x > src/file
`)

const descriptors = [
  ...pythons(String.raw`
a descriptor of the directory: scribble(opened("config", os.O_WRONLY, dir_fd=os.open(".git", os.O_RDONLY)))
a descriptor with O_PATH: scribble(opened("config", os.O_WRONLY, dir_fd=os.open(".git", os.O_PATH)))
/proc/self/fd of a file: f = os.open(".git/config", os.O_RDONLY); scribble(opened(f"/proc/self/fd/{f}", os.O_WRONLY))
/proc/self/fd with O_PATH: f = os.open(".git/config", os.O_PATH); scribble(opened(f"/proc/self/fd/{f}", os.O_WRONLY))
/proc/self/fd with O_TRUNC: f = os.open(".git/config", os.O_RDONLY); opened(f"/proc/self/fd/{f}", os.O_RDONLY | os.O_TRUNC)
/proc/PID/fd of another process: p = subprocess.Popen(["sleep", "60"], stdin=open(".git/config"))\ntry: scribble(opened(f"/proc/{p.pid}/fd/0", os.O_WRONLY))\nfinally: p.kill()
/proc/self/cwd: scribble(opened("/proc/self/cwd/.git/config", os.O_WRONLY))
/proc/self/root: scribble(opened("/proc/self/root" + os.getcwd() + "/.git/config", os.O_WRONLY))
the working directory: os.chdir(".git/hooks"); scribble(opened("pre-push", os.O_WRONLY | os.O_CREAT))
fchmod: os.fchmod(os.open(".git/config", os.O_RDONLY), 0o777)
fchmod of a directory: os.fchmod(os.open(".git/hooks", os.O_RDONLY), 0o777)
futimens: os.utime(os.open(".git/config", os.O_RDONLY), (1, 1))
fsetxattr: os.setxattr(os.open(".git/config", os.O_RDONLY), "user.x", b"x")
chmod by /proc/self/fd: f = os.open(".git/config", os.O_RDONLY); os.chmod(f"/proc/self/fd/{f}", 0o777)
truncate by /proc/self/fd: f = os.open(".git/config", os.O_RDONLY); os.truncate(f"/proc/self/fd/{f}", 0)
mmap MAP_SHARED: f = os.open(".git/config", os.O_RDWR); m = mmap.mmap(f, 0); m[0:1] = b"%"; m.flush()
linkat of /proc/self/fd: f = os.open(".git/config", os.O_RDONLY); call(LINKAT, AT, f"/proc/self/fd/{f}", AT, "src/got", 0x400); scribble(opened("src/got", os.O_WRONLY))
O_TMPFILE and linkat: f = opened("src", os.O_WRONLY | os.O_TMPFILE); scribble(f); call(LINKAT, AT, f"/proc/self/fd/{f}", AT, ".git/hooks/pre-push", 0x400)
O_TMPFILE and linkat to a directory outside: f = opened("src", os.O_WRONLY | os.O_TMPFILE); scribble(f); call(LINKAT, AT, f"/proc/self/fd/{f}", AT, "../outside/got", 0x400)
O_TMPFILE in a protected directory: scribble(opened(".git/hooks", os.O_WRONLY | os.O_TMPFILE)); os.mkdir(".git/hooks/shown")
`),
  ...pythons(
    `
linkat with AT_EMPTY_PATH: f = os.open(".git/config", os.O_RDONLY); call(LINKAT, f, "", AT, "src/got", 0x1000); scribble(opened("src/got", os.O_WRONLY))
`,
    { root: true },
  ),
  ...pythons(
    String.raw`
open_by_handle_at: h = ctypes.create_string_buffer(struct.pack("Ii", 128, 0) + bytes(128)); m = ctypes.c_int()\ncall(NAME_TO_HANDLE_AT, AT, ".git/config", h, ctypes.byref(m), 0)\nmount = os.open(".", os.O_RDONLY)\nf = libc.syscall(OPEN_BY_HANDLE_AT, mount, h, os.O_WRONLY)\nscribble(f)
open_tree with OPEN_TREE_CLONE: f = libc.syscall(OPEN_TREE, AT, b".git", 1); scribble(opened("config", os.O_WRONLY, dir_fd=f))
`,
    { root: true, refusedInContainers: true },
  ),
]

const moves = [0, 1, 2, 4].flatMap((flags) =>
  pythons(
    `
renameat2 with flags ${flags}, from: os.path.exists("there") or ${flags} != 2 or open("there", "w"); call(RENAMEAT2, AT, ".git/config", AT, "there", ${flags})
renameat2 with flags ${flags}, to: open("here", "w"); call(RENAMEAT2, AT, "here", AT, ".git/config" if ${flags} != 1 else ".envrc", ${flags})
renameat2 with flags ${flags}, the parent: os.makedirs("there" if ${flags} == 2 else "x"); call(RENAMEAT2, AT, ".git", AT, "there", ${flags})
`,
    flags === 4 ? { refusedInContainers: true } : {},
  ),
)

/** What reaches beyond the workspace by its kind or its mode. */
const special = ['.', 'src'].flatMap((at) => [
  ...pythons(`
chmod u+s in ${at}: open("${at}/own", "w"); os.chmod("${at}/own", 0o4755)
fchmod g+s in ${at}: f = opened("${at}/own", os.O_CREAT | os.O_WRONLY); os.fchmod(f, 0o2755)
open with mode 04755 in ${at}: os.umask(0); os.open("${at}/own", os.O_CREAT | os.O_WRONLY, 0o4755)
mknod with mode 04755 in ${at}: os.umask(0); os.mknod("${at}/own", stat.S_IFREG | 0o4755)
the node of number 0, which takes no capability (linux/fs.h, WHITEOUT_DEV), in ${at}: os.mknod("${at}/own", stat.S_IFCHR | 0o600)
O_TMPFILE with mode 04755 in ${at}: f = os.open("${at}", os.O_TMPFILE | os.O_WRONLY, 0o4755); call(LINKAT, AT, f"/proc/self/fd/{f}", AT, "${at}/own", 0x400)
`),
  ...pythons(
    `
a character device in ${at}: os.mknod("${at}/own", stat.S_IFCHR | 0o600, os.makedev(1, 3))
a block device in ${at}: os.mknod("${at}/own", stat.S_IFBLK | 0o600, os.makedev(7, 0))
`,
    { root: true },
  ),
])

export const rows: readonly Row[] = [...plain, ...descriptors, ...moves, ...special]
