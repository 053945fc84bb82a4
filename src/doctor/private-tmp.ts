import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Attempt, onFiles } from './attempt.ts'
import type { Check } from './check.ts'
import { fileMetadata } from './files.ts'

const settings = { 'shell.private_tmp': true }
const right = 'private tmp'

/** A symbolic link in the private tmp leads outside: its target must not change. */
export const privateTmpAttempts: readonly Attempt[] = [
  {
    ...onFiles(
      right,
      'write and chmod through a link in the private TMPDIR',
      'link=$(mktemp -u) && ln -s "$PWD/file" "$link" && { chmod 600 "$link"; echo x >> "$link"; }; code=$?; rm -f "$link"; exit $code',
      fileMetadata,
    ),
    settings,
  },
]

export const privateTmpRemoved: Check = {
  right,
  name: 'leave a file in the private TMPDIR',
  settings,
  async run({ read }) {
    const { stdout, stderr, exitCode } = await read.execute({
      command: 'mkdir -p "$TMPDIR/a/b" && echo x > "$TMPDIR/a/b/c" && printf %s "$TMPDIR"',
    })
    if (exitCode !== 0 || stdout === '') return { state: 'untried', said: stderr }
    return { state: existsSync(join(stdout, 'a')) ? 'open' : 'enforced', said: '' }
  },
}
