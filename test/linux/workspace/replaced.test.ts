import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type User, users } from '../../attacks/table.ts'
import { giveTo, whyNot } from '../../helpers/other-users.ts'
import { makeDirectory, openTestShell } from '../../helpers/place.ts'
import { waitFor } from '../../helpers/processes.ts'
import { runAs } from '../../helpers/run-as.ts'
import { cannotUnshare } from '../../helpers/surroundings.ts'

/** A repository, and beside it a directory with a file of the same name. */
function makePlace(user: User) {
  const parent = makeDirectory()
  const [work, outside] = [join(parent, 'work'), join(parent, 'outside')]
  mkdirSync(join(work, '.git'), { recursive: true })
  mkdirSync(join(outside, '.git'), { recursive: true })
  writeFileSync(join(outside, 'file'), 'outside')
  chmodSync(parent, 0o755)
  giveTo(user, parent)
  return { parent, work, outside }
}

/** By names that Landlock decides about and by names that the notifier acts on. */
const changes = (work: string) =>
  `echo x > ${work}/new; echo x > ${work}/file; mkdir ${work}/made; mv ${work}/file ${work}/moved; chmod 600 ${work}/file ${work}/moved; rm -f ${work}/moved; ln -s x ${work}/link`

const replacements = {
  'by a link to a directory outside': ({ work, outside }: ReturnType<typeof makePlace>) =>
    symlinkSync(outside, work),
  'by a directory from outside': ({ work, outside }: ReturnType<typeof makePlace>) =>
    renameSync(outside, work),
}

const kinds = Object.entries(replacements)

function replace(place: ReturnType<typeof makePlace>, by: (typeof kinds)[number][1]): void {
  renameSync(place.work, join(place.parent, 'away'))
  by(place)
}

/** What is reached by the workspace's path after the replacement. */
const replaced = ({ work }: ReturnType<typeof makePlace>) => ({
  names: readdirSync(work).sort(),
  file: readdirSync(work).includes('file') ? readFileSync(join(work, 'file'), 'utf8') : null,
})

const untouched = { names: ['.git', 'file'], file: 'outside' }

const able = users.filter((user) => process.platform === 'linux' && whyNot(user) === null)

describe.for(able)('a workspace that is replaced, as $name', (user) => {
  it.for(kinds)('%s while a command runs: the command changes nothing in the other', async ([, by]) => {
    for (const mode of ['workspace', 'write'] as const) {
      const place = makePlace(user)
      const command = `touch started; while ! test -e ../go; do sleep 0.05; done; ${changes(place.work)}`
      const running = runAs(user, { options: { cwd: place.work, mode }, commands: [['sh', '-c', command]] })
      expect(await waitFor(() => readdirSync(place.work).includes('started'))).toBe(true)
      replace(place, by)
      writeFileSync(join(place.parent, 'go'), '')
      await running
      if (mode === 'workspace') expect(replaced(place)).toEqual(untouched)
      else expect(replaced(place)).not.toEqual(untouched)
    }
  })
})

describe.runIf(process.platform === 'linux')('a workspace that is replaced', () => {
  it('by a link between two commands: the second changes nothing outside', async () => {
    for (const mode of ['workspace', 'write'] as const) {
      const place = makePlace(users[0] as User)
      const shell = await openTestShell({ cwd: place.work, mode })
      await shell.execute({ command: 'true' })
      replace(place, replacements['by a link to a directory outside'])
      await shell.execute({ command: changes(place.work), cwd: place.parent }).catch(() => {})
      if (mode === 'workspace') expect(replaced(place)).toEqual(untouched)
      else expect(replaced(place)).not.toEqual(untouched)
    }
  })
})

describe.runIf(process.platform === 'linux' && process.getuid?.() === 0)('a full disk', () => {
  const fill = `import os, errno
for path in ("new", "src/new"):
    fd = os.open(path, os.O_CREAT | os.O_WRONLY)
    said = 0
    try:
        while True: said += os.write(fd, b"x" * 65536)
    except OSError as error: print(path, errno.errorcode[error.errno])
    print("all that was said is written:", os.stat(path).st_size == said)
for name, act in {"mkdir": os.mkdir, "mkfifo": os.mkfifo, "symlink": lambda path: os.symlink("x" * 4000, path)}.items():
    for base in (".", "src"):
        try:
            for at in range(100000): act(f"{base}/{name}{at}")
        except OSError as error: print(base, name, errno.errorcode[error.errno])`

  it.for(able)('gives a command the errors of write mode, as $name', async ({ uid, gid }, { skip }) => {
    const lacking = cannotUnshare('--mount')
    if (lacking) return skip(lacking)
    const directory = makeDirectory()
    const mount = `chmod 755 ${directory} && mount -t tmpfs -o size=1m,nr_inodes=100,uid=${uid},gid=${gid} none ${directory} && mkdir -m 777 ${directory}/.git ${directory}/src && exec setpriv --reuid=${uid} --regid=${gid} --clear-groups "$@"`
    const said = async (mode: 'workspace' | 'write') => {
      const [result] = await runAs(users[0] as User, {
        options: { mode, cwd: directory },
        commands: [['python3', '-c', fill]],
        wrapper: ['unshare', '-m', 'sh', '-c', mount, 'sh'],
      })
      return result?.stdout
    }
    const open = await said('write')
    expect(open).toContain('new ENOSPC')
    expect(open).not.toContain('False')
    expect(await said('workspace')).toBe(open)
  })
})
