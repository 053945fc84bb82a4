import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { User } from '../../attacks/table.ts'
import { giveTo } from '../../helpers/other-users.ts'
import { makeDirectory } from '../../helpers/place.ts'
import { words } from '../../helpers/words.ts'

const fixture = `
git init -q -b main . && git config user.email a@example.org && git config user.name A
mkdir -p src .vscode .git/hooks .git/info; echo '{}' > .vscode/settings.json; echo x > src/main.c
printf '#!/bin/sh\\n' > .git/hooks/pre-commit; chmod 755 .git/hooks/pre-commit; echo '# none' > .git/info/attributes
git add -A && git commit -qmfirst --no-verify
mkdir ../outside; echo outside > ../outside/file
`

const protectedPaths = words(
  '.git/config .git/hooks .git/info/attributes .vscode .envrc .mcp.json .idea .claude .github/workflows',
)

/** A repository and a directory beside it, both of that user's. Returns the repository. */
export function makeWorkspace(user: User): string {
  const parent = makeDirectory()
  const workspace = join(parent, 'work')
  mkdirSync(workspace)
  const env = { ...process.env, HOME: parent, GIT_CONFIG_NOSYSTEM: '1' }
  execFileSync('sh', ['-ec', fixture], { cwd: workspace, env, stdio: 'pipe' })
  chmodSync(parent, 0o755)
  giveTo(user, parent)
  return workspace
}

/** What find(1) prints, in the order of names: none of a path that is absent. */
export function find(...words: readonly string[]): readonly string[] {
  const { stdout } = spawnSync('find', words, { encoding: 'latin1', maxBuffer: 1 << 28 })
  return stdout.split('\n').sort()
}

/** All that a call could change. A changed inode shows in its change time, whatever the call set back. */
export function stateOf(...paths: readonly string[]): readonly string[] {
  const format = '%p %i %m %n %U %G %T@ %C@ %l\n'
  return find(...paths, '-printf', format, ...words('-type f -exec sha256sum {} +'))
}

/** Everything that must not change. Of the git directory itself only which one it is: other entries come and go. */
export function watched(workspace: string): Readonly<Record<string, readonly string[]>> {
  const paths = [...protectedPaths, '../outside'].map((path) => join(workspace, path))
  return {
    git: find(join(workspace, '.git'), ...words('-maxdepth 0 -printf'), '%i %m'),
    paths: stateOf(...paths),
    special: find(workspace, ...words('-type b -o -type c -o -type f -perm /6000')),
  }
}
