import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'

const git = (...words: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], { encoding: 'utf8' })

/** A bare repository with one commit, that can be served as plain files too. Returns the commit. */
export function makeRepository(directory: string): string {
  const bare = join(directory, 'project.git')
  git('init', '-q', '--bare', '-b', 'main', bare)
  const tree = git('-C', bare, 'hash-object', '-t', 'tree', '-w', '/dev/null').trim()
  const commit = git('-C', bare, 'commit-tree', '-m', 'first', tree).trim()
  git('-C', bare, 'update-ref', 'refs/heads/main', commit)
  git('-C', bare, 'update-server-info')
  return commit
}

/** The files of a repository: git's oldest way over HTTP. */
export function serveFiles(directory: string, path: string, response: ServerResponse): void {
  const file = join(directory, path)
  if (path.includes('..') || !existsSync(file)) response.writeHead(404).end()
  else response.end(readFileSync(file))
}
