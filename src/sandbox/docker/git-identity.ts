import { execFile } from 'node:child_process'
import { systemTool } from '../../base/paths.ts'
import type { Environment } from '../../base/types.ts'

export type GitIdentity = Readonly<Record<string, string>>

const gitMs = 2000

/** Outside every repository; empty if unset. */
export async function gitIdentity(env: Environment): Promise<GitIdentity> {
  const [name, email] = await Promise.all([setting('user.name', env), setting('user.email', env)])
  return {
    ...(name && { GIT_AUTHOR_NAME: name, GIT_COMMITTER_NAME: name }),
    ...(email && { GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_EMAIL: email }),
  }
}

function setting(key: string, env: Environment): Promise<string> {
  return new Promise((resolve) => {
    const options = { cwd: '/', env: { ...env }, timeout: gitMs, encoding: 'utf8' } as const
    // It fails without git or without the setting: then nothing is passed.
    execFile(systemTool('git') ?? '/usr/bin/git', ['config', '--get', key], options, (error, said) =>
      resolve(error ? '' : said.trim()),
    )
  })
}
