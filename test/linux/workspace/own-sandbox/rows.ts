import { namedLines } from '../../../helpers/words.ts'

/** What a program of a command does to itself, and then tries. Each part is Python. */
export interface OwnSandboxRow {
  readonly name: string
  /** Before it narrows itself. */
  readonly before?: string
  /** How it narrows itself. Default: it enters a Landlock domain that grants no change. */
  readonly narrow?: string
  readonly act: string
  /** What it narrowed does not decide this, outside of vitrine neither. */
  readonly done?: true
  /** The oldest ABI of Landlock that knows it. Default: that of workspace mode. */
  readonly abi?: number
  /** Only root’s commands can. */
  readonly root?: true
}

/**
 * Sorts of sandbox that a program can enter by itself: include/uapi/linux/landlock.h, linux/seccomp.h, linux/bpf_common.h.
 * `filter` returns an action for some calls, and allows the others.
 */
export const prelude = `
import ctypes, os, platform, resource, socket, stat, struct, subprocess, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)
x86 = platform.machine() == 'x86_64'
AT, EXCHANGE = -100, 2
RENAMEAT2, LINKAT, SECCOMP, CAPSET = (316, 265, 317, 126) if x86 else (276, 37, 277, 91)
UNLINK, MKDIR = ([87, 263], [83, 258]) if x86 else ([35], [34])
KILL_PROCESS, TRAP, ERRNO, TRACE = 0x80000000, 0x30000, 0x50000, 0x7ff00000
def call(number, *words):
    words = [w.encode() if isinstance(w, str) else w for w in words]
    result = libc.syscall(number, *words)
    if result < 0: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
def landlock(files=0x7ff2, network=0, scoped=0):
    if libc.prctl(38, 1, 0, 0, 0): sys.exit(9)
    attributes = struct.pack("QQQ", files, network, scoped)
    ruleset = call(444, attributes, len(attributes), 0)
    call(446, ruleset, 0)
    os.close(ruleset)
def filter_of(action, numbers):
    lines = [(0x20, 0, 0, 0)]
    lines += [(0x15, len(numbers) - at, 0, number) for at, number in enumerate(numbers)]
    lines += [(6, 0, 0, 0x7fff0000), (6, 0, 0, action)]
    text = b"".join(struct.pack("HBBI", *line) for line in lines)
    return ctypes.create_string_buffer(text, len(text)), len(lines)
def seccomp(action, numbers, flags=0, by_prctl=False):
    text, count = filter_of(action, numbers)
    program = struct.pack("H6xQ", count, ctypes.addressof(text))
    if libc.prctl(38, 1, 0, 0, 0): sys.exit(9)
    if not by_prctl: return call(SECCOMP, 1, flags, program)
    if libc.prctl(22, 2, program): raise OSError(ctypes.get_errno(), "prctl")
def enter(): pass
def drop_capabilities(): call(CAPSET, struct.pack("Ii", 0x20080522, 0), bytes(24))
def run(*words): subprocess.run(words, check=True)
`

/** `made` and `full/in` are a file and a directory of the command's own, in a directory that holds something protected. */
const files = namedLines(`
create: open("new", "w")
create beside git’s files: open(".git/new", "w")
append: open("made", "a").write("more")
overwrite: os.write(os.open("made", os.O_WRONLY), b"changed")
open for reading and writing: os.write(os.open("made", os.O_RDWR), b"changed")
open with O_TRUNC: open("made", "w")
truncate: os.truncate("made", 1)
mkdir: os.mkdir("new")
mkdir on the way to something protected: os.mkdir(".github")
rmdir: os.rmdir("empty")
unlink: os.unlink("made")
rename: os.rename("made", "new")
rename to another directory: os.rename("made", "full/new")
rename out of a directory: os.rename("src/main.c", "new")
exchange: call(RENAMEAT2, AT, "made", AT, "full/in", EXCHANGE)
link: os.link("made", "new")
link what is elsewhere: os.link("src/main.c", "new")
symlink: os.symlink("made", "new")
mknod: os.mknod("new", stat.S_IFREG | 0o600)
mkfifo: os.mkfifo("new")
beneath a descriptor: os.mkdir("new", dir_fd=here)
by the path of a descriptor: open(f"/proc/self/fd/{here}/new", "w")
give a file without a name one: call(LINKAT, AT, f"/proc/self/fd/{unnamed}", AT, "new", 0x400)
make a file without a name: os.write(os.open(".", os.O_TMPFILE | os.O_WRONLY, 0o600), b"x"); open("new", "w")
sed -i: run("sed", "-i", "s/own/changed/", "made")
in a subdirectory of its own: open("full/new", "w")
in a directory that holds nothing protected: open("src/new", "w")
`)

const before = `
open("made", "w").write("own"); os.mkdir("empty"); os.mkdir("full"); open("full/in", "w").write("in")
here = os.open(".", os.O_RDONLY)
try: unnamed = os.open(".", os.O_TMPFILE | os.O_RDWR, 0o600)
except OSError: unnamed = -1
`

/** Ways to lose the mark of a process that is in a domain of its own. */
const marks = namedLines(`
a program that it starts: run("mkdir", "new")
a program that a program starts: run("sh", "-c", "(sh -c 'mkdir new')")
a fork of a fork: os.fork() or os.fork() or os.mkdir("new"); time.sleep(0.3); os.stat("new")
posix_spawn: os.waitpid(os.posix_spawn("/bin/mkdir", ["mkdir", "new"], os.environ), 0); os.stat("new")
a thread: t = threading.Thread(target=lambda: os.mkdir("new")); t.start(); t.join(); os.stat("new")
lowering the limit further: resource.setrlimit(10, (0, 0)); os.mkdir("new")
a session of its own: os.fork() or (os.setsid(), os.mkdir("new"), os._exit(0)); os.wait(); os.stat("new")
many others that narrow themselves: all(os.fork() or (landlock(), os._exit(0)) for _ in range(50)); os.mkdir("new")
`)

const raisingEveryLimit = `
for each in range(16):
    try: resource.prlimit(0, each, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    except (OSError, ValueError): pass
os.mkdir("new")`

/** `NAME: NARROW => ACT`, a line each. */
const narrowed = (text: string) =>
  namedLines(text).map(([name, parts]): OwnSandboxRow => {
    const [narrow = '', act = ''] = parts.split(' => ')
    return { name, narrow, act }
  })

const filters = narrowed(`
a filter that returns ERRNO for mkdir: seccomp(ERRNO | 1, MKDIR) => os.mkdir("new")
a filter that returns ERRNO for unlink, where the kernel decides: seccomp(ERRNO | 1, UNLINK) => os.unlink("src/main.c")
a filter that returns TRAP for mkdir: seccomp(TRAP, MKDIR) => os.mkdir("new")
a filter that returns TRAP for unlink, where the kernel decides: seccomp(TRAP, UNLINK) => os.unlink("src/main.c")
a filter that returns KILL_PROCESS for mkdir: seccomp(KILL_PROCESS, MKDIR) => os.mkdir("new")
a filter that returns KILL_PROCESS for unlink, where the kernel decides: seccomp(KILL_PROCESS, UNLINK) => os.unlink("src/main.c")
a filter that returns TRACE for mkdir: seccomp(TRACE, MKDIR) => os.mkdir("new")
a filter that returns TRACE for unlink, where the kernel decides: seccomp(TRACE, UNLINK) => os.unlink("src/main.c")
a filter by prctl that returns TRACE: seccomp(TRACE, MKDIR, by_prctl=True) => os.mkdir("new")
a filter that hides TRACE among other answers: seccomp(ERRNO | 1, [1000]); seccomp(TRACE | 7, [1001] + MKDIR) => os.mkdir("new")
a further domain, which handles less: landlock(); landlock(files=1) => os.mkdir("new")
a domain that cannot be marked: resource.setrlimit(10, (0, 0)); landlock() => os.mkdir("new")
`)

const metadata = namedLines(`
chmod: os.chmod("made", 0o600)
fchmod: os.fchmod(here, 0o700)
utime: os.utime("made", (1, 1))
setxattr: os.setxattr("made", "user.a", b"1")
chown to itself: os.chown("made", os.getuid(), os.getgid()); os.utime("made", (1, 1))
`)

export const ownSandboxRows: readonly OwnSandboxRow[] = [
  ...files.map(([name, act]) => ({ name, before, act })),
  ...marks.map(([name, act]) => ({ name: `the domain is left by ${name}`, act })),
  { name: 'the domain is left by raising every limit', act: raisingEveryLimit },
  ...metadata.map(([name, act]) => ({
    name: `${name}, which no domain decides`,
    before,
    act,
    done: true as const,
  })),
  ...filters,
  {
    name: 'a filter for other calls',
    narrow: 'seccomp(ERRNO | 1, [1000]); seccomp(ERRNO | 1, [1000], by_prctl=True)',
    act: 'os.mkdir("new"); os.unlink("src/main.c")',
    done: true,
  },
  {
    name: 'many threads that enter a domain at once',
    narrow: 'enter = landlock',
    act: `
def one(name): enter(); os.mkdir(name)
def some(at):
    threads = [threading.Thread(target=one, args=(f"new{at}-{each}",)) for each in range(4)]
    [each.start() for each in threads]; [each.join() for each in threads]
for at in range(40): os.fork() or (some(at), os._exit(0))
for at in range(40): os.wait()
os.stat("new0-0")`,
  },
  {
    name: 'forks while another thread enters a domain',
    narrow: 'enter = landlock',
    act: `
def again(): [os.fork() or os._exit(0) for each in range(20)]
def one(): enter(); os.fork() or os._exit(os.mkdir(f"new{os.getpid()}") or 0)
for at in range(10):
    threads = [threading.Thread(target=each) for each in (again, one, again, one)]
    [each.start() for each in threads]; [each.join() for each in threads]
try:
    while True: os.wait()
except ChildProcessError: sys.exit(not any("new" in name for name in os.listdir(".")))`,
  },
  {
    name: 'a signal to a process outside of its domain',
    before: `
import signal
child = os.fork()
if child == 0:
    signal.signal(signal.SIGUSR1, lambda *_: (open("got", "w"), os._exit(0)))
    open("ready", "w"); signal.alarm(5); signal.pause(); os._exit(0)
while not os.path.exists("ready"): time.sleep(0.01)
`,
    narrow: 'landlock(files=0, scoped=2)',
    act: 'os.kill(child, signal.SIGUSR1); os.waitpid(child, 0)',
    abi: 6,
  },
  {
    name: 'a FIFO that waits for its reader',
    before: `
os.mkfifo("pipe")
import signal
if os.fork() == 0:
    signal.alarm(5); time.sleep(0.2)
    text = open("pipe").read()
    open("got", "w").write(text); os._exit(0)
`,
    act: `
open("pipe", "w").write("x")
os.wait()`,
  },
  {
    name: 'its own limit of the size of files',
    before,
    narrow: 'resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))',
    act: 'os.truncate("made", 1 << 20)',
  },
  {
    name: 'its own limit, within it',
    before,
    narrow: 'resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))',
    act: 'os.truncate("made", 1000)',
    done: true,
  },
  ...narrowed(`
another user’s rights: os.setresuid(65534, 65534, 65534) => os.mkdir("new")
another group’s rights: os.setgroups([]); os.setresgid(65534, 65534, 65534); os.setresuid(65534, 65534, 65534) => open("new", "w")
`).map((row) => ({ ...row, root: true as const })),
]
