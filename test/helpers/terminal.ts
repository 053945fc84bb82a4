import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeDirectory } from './place.ts'

const script = `
import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
while True:
    try:
        chunk = os.read(fd, 65536)
    except OSError:
        break
    if not chunk:
        break
    sys.stdout.buffer.write(chunk)
    sys.stdout.flush()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`

/** A Python program that runs its arguments with a terminal as standard streams, prints what arrives there, and exits as they do. */
export function terminalProgram(): string {
  const file = join(makeDirectory(), 'terminal.py')
  writeFileSync(file, script)
  return file
}
