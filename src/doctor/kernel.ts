import { execFileSync } from 'node:child_process'
import { systemTool } from '../base/program-path.ts'
import { type Attempt, exitCodeAttempt } from './attempt.ts'

/** ipcmk(1) makes a queue that persists until it is removed. */
const queue: Attempt = {
  right: 'ipc',
  name: 'make a message queue',
  prepare() {
    let id: string | undefined
    return {
      request: { command: 'ipcmk -Q' },
      touched({ stdout }) {
        id = /: (\d+)/.exec(stdout)?.[1]
        return id !== undefined
      },
      clear() {
        if (id !== undefined)
          execFileSync(systemTool('ipcrm') ?? '/usr/bin/ipcrm', ['-q', id], { stdio: 'ignore' })
      },
    }
  },
}

// libc has no add_key(2); numbers from asm/unistd_64.h, asm-generic/unistd.h. -2: the process keyring.
const addKey = `python3 -c '
import ctypes, os, sys
number = {"x86_64": 248, "aarch64": 217}[os.uname().machine]
libc = ctypes.CDLL(None, use_errno=True)
if libc.syscall(number, b"user", b"vitrine-doctor", b"x", ctypes.c_size_t(1), -2) < 0:
    sys.exit(os.strerror(ctypes.get_errno()))
'`

export const kernelAttempts: readonly Attempt[] = [
  queue,
  exitCodeAttempt('locks', 'lock a directory exclusively', 'flock --exclusive --nonblock . true'),
  exitCodeAttempt('device nodes', 'open a new terminal', ': <> /dev/ptmx'),
  exitCodeAttempt('keys', 'add a key', addKey),
  exitCodeAttempt('namespaces', 'enter a new user namespace', 'unshare --user true'),
  exitCodeAttempt('system', 'set the host name, to what it is', 'hostname "$(hostname)"'),
]
