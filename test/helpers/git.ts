import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** For git as a user with that home directory, whatever this machine's configuration says. */
export function gitEnvironment(home: string): Record<string, string | undefined> {
  return {
    PATH: process.env['PATH'],
    HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@example.com',
  }
}

/** What git takes for a repository, without starting git. */
export function makeRepository(top: string): void {
  for (const name of ['objects', 'refs']) mkdirSync(join(top, '.git', name), { recursive: true })
  writeFileSync(join(top, '.git/HEAD'), 'ref: refs/heads/main\n')
}
