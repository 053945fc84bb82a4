import { buildPrograms } from '../../../attacks/build.ts'
import { py, pythons, type Row, shell } from '../protected-rows.ts'
import { describeAttacks } from './attack.ts'

/** The kernel makes the call itself, where no filter sees it. */
function uring(attempt: string, path: string): Row {
  const name = `io_uring ${attempt} of ${path}`
  return { name, argv: [buildPrograms().uring, attempt, path], refusedInContainers: true }
}

const rings = Object.entries({
  openat: ['.envrc', '.git/hooks/new', '../outside/new'],
  unlinkat: ['.git/config', '.vscode/settings.json', '../outside/file'],
  mkdirat: ['.idea', '.git/hooks/new', '../outside/new'],
  setxattr: ['.git/config', '.git/hooks', '../outside/file'],
}).flatMap(([attempt, paths]) => paths.map((path) => uring(attempt, path)))

/** A case-folding file system takes each for a protected name. */
const spelled = `
.ENVRC .envrc. .Git/config .git/CONFIG .git/hook\u017f/new .git/hoo\u212as/new .git/con\ufb01g .v\u017fcode/settings.json .env\u200crc .\u200bmcp.json .github/WORKFLOWS/new.yml
`
  .trim()
  .split(' ')
  .flatMap((path) =>
    shell(`mkdir -p "$(dirname '${path}')"; echo x > '${path}'`).map((row) => ({
      ...row,
      name: `the spelling ${JSON.stringify(path)}`,
      look: ['sh', '-c', `test ! -e '${path}' || echo made`],
    })),
  )

const redirects = shell(`
exec 3<> .git/config; echo x >&3
exec > .git/hooks/new; echo x
exec 2>> .vscode/settings.json; echo x >&2
set -o noclobber; echo x > .envrc
echo x >| .git/config
sh -c 'echo x' > .mcp.json 2>&1
cd .git && echo x >> config
cd .git/hooks && : > pre-commit
`)

const descriptors = [
  ...pythons(String.raw`
a descriptor for reading, sent to another process and opened anew: a, b = socket.socketpair()\nif os.fork() == 0:\n    _, (f,), _, _ = socket.recv_fds(b, 1, 1); scribble(opened(f"/proc/self/fd/{f}", os.O_WRONLY)); os._exit(0)\nsocket.send_fds(a, [b"x"], [os.open(".git/config", os.O_RDONLY)]); os.wait()
O_TMPFILE beside a protected name, linked over it: f = opened(".", os.O_RDWR | os.O_TMPFILE); scribble(f); call(LINKAT, AT, f"/proc/self/fd/{f}", AT, ".envrc", 0x400)
O_TMPFILE by descriptor into a protected directory: d = os.open(".git/hooks", os.O_PATH); f = opened("src", os.O_RDWR | os.O_TMPFILE); scribble(f); call(LINKAT, AT, f"/proc/self/fd/{f}", d, "new", 0x400)
RENAME_EXCHANGE with a directory that holds a protected name: os.makedirs("made/hooks"); call(RENAMEAT2, AT, "made/hooks", AT, ".git/hooks", 2)
RENAME_NOREPLACE onto an absent name: os.makedirs("made"); call(RENAMEAT2, AT, "made", AT, ".idea", 1)
mmap MAP_SHARED of a file outside: f = os.open("../outside/file", os.O_RDWR); m = mmap.mmap(f, 0); m[0:1] = b"%"; m.flush()
truncate by path of a file outside: os.truncate("../outside/file", 1)
truncate by path of a protected file: os.truncate(".git/config", 1)
`),
  py(
    'pidfd_getfd of a descriptor for reading, opened anew',
    'p = subprocess.Popen(["sleep", "60"], stdin=open(".git/config"))\ntry:\n    f = libc.syscall(438, os.pidfd_open(p.pid), 0, 0); scribble(opened(f"/proc/self/fd/{f}", os.O_WRONLY))\nfinally: p.kill()',
    { refusedInContainers: true },
  ),
]

describeAttacks('io_uring changes nothing protected or outside', rings)
describeAttacks('other spellings of a protected name cannot be made', spelled)
describeAttacks('redirected streams change nothing protected', redirects)
describeAttacks('descriptors and unnamed files change nothing protected', descriptors)
