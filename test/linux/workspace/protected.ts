import { execFileSync } from 'node:child_process'
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { User } from '../../attacks/table.ts'
import { giveTo } from '../../helpers/other-users.ts'
import { makeDirectory } from '../../helpers/place.ts'

const fixture = `
git init -q -b main . && git config user.email a@example.org && git config user.name A
mkdir -p src .vscode .git/hooks .git/info; echo '{}' > .vscode/settings.json; echo x > src/main.c
printf '#!/bin/sh\\n' > .git/hooks/pre-commit; chmod 755 .git/hooks/pre-commit; echo '# none' > .git/info/attributes
git add -A && git commit -qmfirst --no-verify
mkdir ../outside; echo outside > ../outside/file
`

const protectedPaths = `
.git .git/config .git/hooks .git/info/attributes .vscode .envrc .mcp.json .idea .claude .github/workflows
`
  .trim()
  .split(/\s+/)

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

function under(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((name) => join(directory, name))
}

/** A control may put a device or a file where the directory was: ENOTDIR. */
function statusOf(path: string) {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

function stateOf(path: string): unknown {
  const status = statusOf(path)
  if (!status) return 'absent'
  const { ino, mode, nlink, mtimeNs, ctimeNs } = status
  if (status.isDirectory())
    return { ino, mode, ctimeNs, entries: readdirSync(path).map((name) => stateOf(join(path, name))) }
  const content = status.isSymbolicLink()
    ? readlinkSync(path)
    : status.isFile()
      ? readFileSync(path, 'utf8')
      : ''
  return { ino, mode, nlink, mtimeNs, ctimeNs, content }
}

/** Of the git directory itself only which one it is: other entries come and go. */
function gitDirectory(path: string): unknown {
  const { ino, mode } = lstatSync(path, { bigint: true, throwIfNoEntry: false }) ?? {}
  return { ino, mode }
}

/** Set-ID files and device nodes. */
function special(workspace: string): string[] {
  return under(workspace).filter((path) => {
    const status = lstatSync(path)
    return (
      status.isCharacterDevice() ||
      status.isBlockDevice() ||
      (status.isFile() && (status.mode & 0o6000) !== 0)
    )
  })
}

/** Everything that must not change. */
export function watched(workspace: string): Readonly<Record<string, unknown>> {
  return {
    ...Object.fromEntries(
      protectedPaths.map((path) => [path, (path === '.git' ? gitDirectory : stateOf)(join(workspace, path))]),
    ),
    outside: stateOf(join(workspace, '../outside')),
    special: special(workspace),
  }
}
