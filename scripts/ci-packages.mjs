// Installs the Debian packages that the tests want on a machine of CI; with --cross those that build and run for other systems.
import { spawnSync } from 'node:child_process'

const always = ['ripgrep', 'tree', 'jq', 'busybox-static', 'bubblewrap', 'tmux', 'sqlite3', 'gdb', 'strace']
const cross = [
  ...['g++-mingw-w64-x86-64-posix', 'wine', 'wine64'],
  ...['g++-aarch64-linux-gnu', 'libc6-arm64-cross', 'qemu-user-static', 'binutils', 'musl-tools'],
]

const packages = process.argv.includes('--cross') ? [...always, ...cross] : always
const sudo = process.getuid?.() === 0 ? [] : ['sudo']
for (const args of [
  ['update', '-qq'],
  ['install', '-y', '-qq', '--no-install-recommends', ...packages],
]) {
  const [program, ...rest] = [...sudo, 'apt-get', ...args]
  const { status } = spawnSync(program, rest, { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
