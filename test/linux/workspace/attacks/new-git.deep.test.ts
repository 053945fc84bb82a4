import { chmodSync, cpSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { type User, users } from '../../../attacks/table.ts'
import { giveTo, whyNot } from '../../../helpers/other-users.ts'
import { makeDirectory } from '../../../helpers/place.ts'
import { runTasksAs } from '../../../helpers/run-as.ts'
import { makePlace, plantedIn, prepared } from '../repositories/new-place.ts'

const py = (text: string) => `python3 -c '${text}'`
const flags = 'os.O_WRONLY | os.O_CREAT | os.O_TRUNC'

const attacks = `
mv evil .git
cp -r evil .git
cp -r evil/. .git
ln -s evil .git
echo gitdir: evil > .git
mkdir .git; mv -T evil .git
mkdir .git; tar cf - -C evil . | tar xf - -C .git
mkdir .git; cp lines .git/config
mkdir .git; mv evil/hooks .git
mkdir .git; ln -s ../evil/hooks .git/hooks
mkdir .git; echo ../evil > .git/commondir
git init -q --separate-git-dir evil .
git init -q --template=template
git init -q; git config core.fsmonitor evil
git init -q; git config core.hooksPath evil
git init -q; git config include.path ../evil
git init -q; git config alias.st !evil
git init -q; git config remote.a.url ext::evil
git init -q; git config remote.a.url ./evil
git init -q; git config branch.main.remote evil
git init -q; git config core.sshCommand evil
git init -q; mv .git x; cat lines >> x/config; mv x .git
git init -q; mv .git x; mv evil .git
git init -q; cat lines >> .git/config
git init -q; cp lines .git/config
git init -q; mv lines .git/config
git init -q; ln -f lines .git/config
git init -q; ln .git/config c; cat lines >> c
git init -q; rm .git/config; mv lines .git/config
git init -q; rm .git/config; ln lines .git/config
git init -q; rm .git/config; ln -s ../lines .git/config
git init -q; rm .git/config; cat lines > .git/config
git init -q; git config extensions.worktreeConfig true; cp lines .git/config.worktree
git init -q; echo x > .git/hooks/pre-commit
git init -q; cp .git/hooks/pre-commit.sample .git/hooks/pre-commit
git init -q; mv .git/hooks/pre-commit.sample .git/hooks/pre-commit
git init -q; ln .git/hooks/pre-commit.sample .git/hooks/pre-commit
git init -q; ln -s ../evil .git/hooks/pre-commit
git init -q; rm -r .git/hooks; mv evil/hooks .git/hooks
git init -q; rm -r .git/hooks; ln -s ../evil/hooks .git/hooks
git init -q; echo '* filter=lfs' > .git/info/attributes
mkfifo .git
${py('import socket; socket.socket(socket.AF_UNIX).bind(".git")')}
git init -q; ${py('import socket; socket.socket(socket.AF_UNIX).bind(".git/hooks/pre-commit")')}
git init -q; rm .git/config; ${py('import ctypes, os; f = os.open(".", 0o20200002); os.write(f, b"evil"); ctypes.CDLL(None).linkat(-100, b"/proc/self/fd/%d" % f, -100, b".git/config", 0x400)')}
git init -q; mkdir .git/remotes; echo URL: evil > .git/remotes/a
git init -q; echo evil > .git/branches/a
git init -q; mkdir -p .git/modules; mv evil .git/modules/a
git init -q; ${py(`import os; f = open(".git/c", "w"); f.write("[core]\\n" + " " * 99 + "\\n"); f.flush(); os.rename(".git/c", ".git/config"); f.seek(0); f.write("[core]\\nfsmonitor=evil\\n")`)}
git init -q; cp lines .git/c; ${py('import ctypes; ctypes.CDLL(None).syscall(316, -100, b".git/c", -100, b".git/config", 2)')}
git init -q; rm .git/config; ${py(`import os; os.write(os.open(".git/config", ${flags} | os.O_CLOEXEC), b"evil")`)}
git init -q; rm .git/config; ${py(`import os; os.write(os.open(".git/config", ${flags}), b"evil")`)}
git init -q; ${py('import ctypes, os; ctypes.CDLL(None).linkat(-100, b"/proc/self/fd/%d" % os.open(".git/config", 0), -100, b"c", 0x400); open("c", "a").write("evil")')}
git init -q; ${py('import ctypes, os; ctypes.CDLL(None).linkat(os.open(".git/config", 0), b"", -100, b"c", 0x1000); open("c", "a").write("evil")')}
git init -q; ${py('import os; os.chmod(".git/config", 0o666); os.write(os.open("/proc/self/fd/%d" % os.open(".git/config", 0), 1), b"evil")')}
`
  .trim()
  .split('\n')

/** What each attack leaves, by mode. */
async function tryAll(user: User) {
  const modes = ['workspace', 'write'] as const
  const given = makePlace(prepared).cwd
  const makeCopy = () => {
    const cwd = join(makeDirectory(), 'project')
    cpSync(given, cwd, { recursive: true })
    return cwd
  }
  const attempts = attacks.flatMap((command) => modes.map((mode) => ({ command, mode, cwd: makeCopy() })))
  for (const { cwd } of attempts) {
    chmodSync(join(cwd, '..'), 0o755)
    giveTo(user, join(cwd, '..'))
  }
  const tasks = attempts.map(({ command, mode, cwd }) => ({
    options: { mode, cwd },
    commands: [['sh', '-c', command]],
  }))
  await runTasksAs(user, tasks)
  return new Map(attempts.map(({ command, mode, cwd }) => [`${mode} ${command}`, plantedIn(cwd)]))
}

for (const user of users)
  describe.runIf(process.platform === 'linux' && whyNot(user) === null)(
    `a new git directory names no program, as ${user.name}`,
    () => {
      let planted: ReadonlyMap<string, readonly string[]> = new Map()
      beforeAll(async () => {
        planted = await tryAll(user)
      }, 300_000)

      it.each(attacks)('%s', (command) => {
        expect(planted.get(`workspace ${command}`)).toEqual([])
        expect(planted.get(`write ${command}`)).not.toEqual([])
      })
    },
  )
