import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
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

const backend = join(git('--exec-path').trim(), 'git-http-backend')

/** Why the real server of git cannot be run here, or null. */
export function missingBackend(): string | null {
  return existsSync(backend) ? null : 'git-http-backend is not installed'
}

/** Runs git-http-backend(1), which is a CGI program. */
export function serveByBackend(
  directory: string,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const child = spawn(backend, {
    env: {
      ...process.env,
      GIT_PROJECT_ROOT: directory,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: path.replace(/\?.*/, ''),
      QUERY_STRING: path.split('?')[1] ?? '',
      REQUEST_METHOD: request.method ?? 'GET',
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  request.pipe(child.stdin)
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.on('close', () => {
    const output = Buffer.concat(chunks)
    const end = output.indexOf('\r\n\r\n')
    for (const line of output.toString('latin1', 0, end).split('\r\n')) {
      const [name = '', value = ''] = line.split(': ')
      if (name === 'Status') response.statusCode = Number.parseInt(value, 10)
      else response.setHeader(name, value)
    }
    response.end(output.subarray(end + 4))
  })
}
