import { realpathSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { hintBehind } from '../../../../src/base/hint.ts'
import type { Mode } from '../../../../src/base/types.ts'
import { makeWorkspace, watched } from '../../../linux/workspace/protected.ts'
import { describeEngine, gitMounts, openDockerShell } from '../engine.ts'

const users = [
  { name: 'root', uid: 0, gid: 0 },
  { name: 'an ordinary user', uid: 65_534, gid: 65_534 },
]

const lines = (text: string) => text.trim().split('\n')

const files = lines(`
echo x > .envrc
mkdir .claude
ln -s src .idea
mkdir -p d/workflows && mv d .github
mv .git moved
mv .vscode moved
rm -r .vscode
echo x >> .git/config
sed -i s/main/other/ .vscode/settings.json -e '$a x'
chmod 777 .git/config
touch -d 2001-01-01 .git/hooks/pre-commit
rm .git/hooks/pre-commit
cp src/main.c .git/info/attributes
ln .vscode/settings.json linked && echo x > linked
ln -s .git/hooks way && echo x > way/new
cd src && echo x > ../.git/hooks/../config
mkdir -p t/.vscode && echo x > t/.vscode/new && tar cf a -C t . && tar xf a
exec 3< .vscode/settings.json; echo x > /proc/self/fd/3
`)

const git = lines(`
git config a.b c
git remote add origin /nowhere
git mv src/main.c .envrc
git mv src .claude
git mv -f src/main.c .vscode/settings.json
git mv .vscode src/
git rm -rq .vscode
git config -f .vscode/settings.json a.b c
GIT_CONFIG_GLOBAL=$PWD/.envrc git config --global a.b c
git archive -o .git/hooks/new HEAD
git format-patch -q -o .git/hooks --root HEAD
git bundle create -q .vscode/bundle HEAD
git clone -q . .idea
git worktree add -q --detach .claude
git diff --output=.git/hooks/new --no-index /dev/null src/main.c
echo y > .vscode/settings.json; git stash -q; git -c core.hooksPath=src config core.hooksPath src
`)

describeEngine('workspace mode of the docker backend, with git', (engine) => {
  const mounts = gitMounts()
  const open = (user: (typeof users)[number], mode: Mode) =>
    openDockerShell(engine(), {
      cwd: realpathSync(makeWorkspace(user)),
      mode,
      toml: `user = "${user.uid}:${user.gid}"\nmounts = ${JSON.stringify(mounts)}\n`,
    })

  async function tried(user: (typeof users)[number], mode: Mode, command: string) {
    const shell = await open(user, mode)
    const before = watched(shell.cwd)
    const result = await shell.execute({ command })
    const after = watched(shell.cwd)
    await shell.close()
    return { before, after, result }
  }

  describe.each(users)('as $name', (user) => {
    it.each([...files, ...git])('changes nothing protected, as write mode does: %s', async (command) => {
      const [held, free] = await Promise.all([
        tried(user, 'workspace', command),
        tried(user, 'write', command),
      ])
      expect(held.after, held.result.stderr).toEqual(held.before)
      expect(held.result).toMatchObject({ mode: 'workspace', backend: 'docker' })
      expect(held.result.denials).not.toEqual([])
      expect(free.after, free.result.stderr).not.toEqual(free.before)
    })

    it('lets git work in the repository', async () => {
      const shell = await open(user, 'workspace')
      const command = `set -e; echo new > src/new; git add src; git commit -qm second; git checkout -qb other
        git mv src/new src/moved; git commit -qam third; git checkout -q main; git merge -q other
        echo changed > src/main.c; git stash -q; git stash pop -q; git commit -qam fourth; git worktree add -q linked; git tag t
        git rebase -q HEAD~1; git gc -q; git log --format=%s; git status --short`
      const { stdout, stderr } = await shell.execute({ command })
      expect({ stdout, stderr }).toEqual({ stdout: 'fourth\nthird\nsecond\nfirst\n?? linked/\n', stderr: '' })
    })
  })

  it('names its own TMPDIR for a file in /tmp, and nothing that a container cannot have', async () => {
    const shell = await open({ name: 'root', uid: 0, gid: 0 }, 'workspace')
    const result = await shell.execute({ command: 'echo x > /tmp/out' })
    expect(result.denials).toMatchObject([{ operation: 'create', path: '/tmp/out' }])
    expect(hintBehind(result)).toMatchObject({ instead: { kind: 'own-tmp' }, remedy: { kind: 'write' } })
  })
})
