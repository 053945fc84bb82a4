import { namedLines } from '../../../helpers/words.ts'
import { py, pythons, shell } from '../protected-rows.ts'
import { describeAttacks } from './attack.ts'
import { type Act, forTargets, onTargets } from './targets.ts'

const acts = namedLines(`
copy_file_range: os.copy_file_range(source, t, 4)
sendfile: os.sendfile(t, source, 0, 4)
splice: r, w = os.pipe(); os.write(w, b"abcd"); call(275 if x86 else 76, r, None, t, None, 4, 0)
vmsplice, tee and splice: r, w = os.pipe(); r2, w2 = os.pipe(); b = ctypes.create_string_buffer(b"abcd"); v = (ctypes.c_void_p * 2)(ctypes.addressof(b), 4); call(278 if x86 else 75, w, v, 1, 0); call(276 if x86 else 77, r, w2, 4, 0); call(275 if x86 else 76, r2, None, t, None, 4, 0)
fallocate: os.posix_fallocate(t, 0, 9000)
fallocate with FALLOC_FL_PUNCH_HOLE: call(285 if x86 else 47, t, 3, ctypes.c_long(0), ctypes.c_long(4096))
ftruncate: os.ftruncate(t, 1)
pwritev2: os.pwritev(t, [b"x"], 0)
mmap and mprotect: m = mmap.mmap(t, 0); m[0:1] = b"%"; m.flush()
FS_IOC_SETFLAGS: ioctl(t, 0x40086602, struct.pack("l", 0x40))
FS_IOC_FSSETXATTR: ioctl(t, 0x401c5820, struct.pack("IIIII8x", 0x80, 0, 0, 0, 0))
fchown: os.fchown(t, os.getuid(), os.getgid())
`)
const removal: Act = [
  'fremovexattr',
  'os.removexattr(t, "user.a")',
  { prepare: forTargets('os.setxattr(path, "user.a", b"1")') },
]

const descriptors = onTargets([...acts, removal])

const attributes = ['user.a', 'trusted.a', 'security.a', 'system.posix_acl_access'].flatMap((name) =>
  ['.git/config', '.git/hooks', '../outside/file'].map((path) =>
    py(
      `setxattr ${name} of ${path}`,
      name.startsWith('system')
        ? `acl = struct.pack("<IHHIHHIHHI", 2, 1, 7, 0xffffffff, 4, 5, 0xffffffff, 32, 7, 0xffffffff); os.setxattr("${path}", "${name}", acl)`
        : `os.setxattr("${path}", "${name}", b"1")`,
      name.startsWith('user') || name.startsWith('system') ? {} : { root: true },
    ),
  ),
)

const paths = shell(`
truncate -s 1 /proc/self/cwd/.git/config
truncate -s 1 /proc/$$/cwd/../outside/file
truncate -s 1 /proc/self/root$PWD/.git/config
exec 7< .git; echo x > /proc/self/fd/7/hooks/new
exec 7< .; echo x > /proc/self/fd/7/.envrc
exec 7< .git/hooks; cd /proc/self/fd/7/ && echo x > new
exec 7< ../outside; mv src/main.c /proc/self/fd/7/new
exec 7< src; echo x > /proc/self/fd/7/../.envrc
mkdir /proc/self/cwd/.idea
ln src/main.c /proc/self/cwd/.envrc
ln -s x /dev/fd/../cwd/.envrc
exec < .git/config; echo x > /dev/stdin
exec < ../outside/file; echo x > /proc/self/fd/0
`)

/** RENAME_NOREPLACE and RENAME_WHITEOUT. */
const renames = pythons(
  `
renameat2 with flags 5, from: call(RENAMEAT2, AT, ".git/config", AT, "there", 5)
renameat2 with flags 5, to: open("here", "w"); call(RENAMEAT2, AT, "here", AT, ".envrc", 5)
renameat2 with flags 5 by descriptors: open("here", "w"); call(RENAMEAT2, os.open(".", 0), "here", os.open(".git/hooks", 0), "new", 5)
`,
  { root: true },
)

describeAttacks('calls on descriptors change nothing protected or outside', descriptors)
describeAttacks('extended attributes of what is protected or outside stay', attributes)
describeAttacks('paths through /proc and whiteouts reach nothing protected', [...paths, ...renames])
