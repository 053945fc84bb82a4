import { execFileSync, spawnSync } from 'node:child_process'
import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type User, users } from '../../../attacks/table.ts'
import { whyNot } from '../../../helpers/other-users.ts'
import { runAs } from '../../../helpers/run-as.ts'
import { makeWorkspace, watched } from '../protected.ts'

const [current] = users
const mounts = current?.uid === 0 && spawnSync('unshare', ['-m', 'true']).status === 0

/** What is mounted before the host starts, and what a command then tries by that name. */
const rows = [
  ['a bind mount of a protected directory', '.git/hooks src/at', 'echo x > src/at/new'],
  ['a bind mount of a protected directory beside it', '.git/hooks at', 'echo x > at/new; rm at/pre-commit'],
  ['a bind mount of the git directory', '.git src/at', 'echo x > src/at/config; chmod 600 src/at/config'],
  ['a bind mount of the workspace', '. src/at', 'echo x > src/at/.git/config; mkdir src/at/.idea'],
  ['a bind mount of a directory outside', '../outside src/at', 'echo x > src/at/file; touch src/at/new'],
  ['a bind mount in a directory of a grant', '.vscode src/deep/at', 'cd src/deep/at && rm settings.json'],
] as const

/** The mounts are made by root in a namespace of their own; the host has the user's rights. */
async function run(user: User, mode: 'workspace' | 'write', mount: string, command: string) {
  const cwd = makeWorkspace(user)
  execFileSync('mkdir', ['-p', 'src/at', 'src/deep/at', 'at'], { cwd })
  const before = watched(cwd)
  const as = `setpriv --reuid=${user.uid} --regid=${user.gid} --clear-groups`
  const start = `cd ${cwd} && ${mount} && cd / && exec ${as} "$@"`
  const results = await runAs(current as User, {
    options: { mode, cwd },
    commands: [['sh', '-c', command]],
    wrapper: ['unshare', '-m', 'sh', '-c', start, 'sh'],
  })
  return { cwd, before, after: watched(cwd), result: results[0] }
}

for (const user of users)
  describe.runIf(process.platform === 'linux' && mounts && whyNot(user) === null)(
    `mounts beneath a workspace, as ${user.name}`,
    () => {
      it.for(rows)('%s changes nothing by the other name', async ([, places, command]) => {
        const held = await run(user, 'workspace', `mount --bind ${places}`, command)
        expect(held.after, held.result?.stderr).toEqual(held.before)
        expect(held.result?.exitCode).not.toBe(0)
        const open = await run(user, 'write', `mount --bind ${places}`, command)
        expect(open.after, open.result?.stderr).not.toEqual(open.before)
      })

      it('a bind mount of a protected file changes nothing by the other name', async () => {
        const mount = 'touch src/main.c && mount --bind .git/config src/main.c'
        const command = 'echo x >> src/main.c'
        const held = await run(user, 'workspace', mount, command)
        expect(held.after).toEqual(held.before)
        const open = await run(user, 'write', mount, command)
        expect(open.after).not.toEqual(open.before)
      })

      it('a tmpfs stays read-only, and the rest of its directory can be changed', async () => {
        const mount = 'mount -t tmpfs -o mode=777 none src/at'
        const command = 'echo x > src/at/new; mkdir src/at/d; echo x > src/beside; test -e src/at/new'
        const held = await run(user, 'workspace', mount, command)
        expect(held.result?.exitCode, held.result?.stderr).toBe(1)
        expect(readFileSync(join(held.cwd, 'src/beside'), 'utf8')).toBe('x\n')
        const open = await run(user, 'write', mount, command)
        expect(open.result?.exitCode, open.result?.stderr).toBe(0)
        expect(lstatSync(join(open.cwd, 'src/at')).isDirectory()).toBe(true)
      })
    },
  )
