import { execFile } from 'node:child_process'

type Variables = Readonly<Record<string, string | undefined>>

/** Who commits, as git's variables name it. */
export type GitIdentity = Readonly<Record<string, string>>

const gitMs = 2000

/** Name and mail of the host's git, outside of every repository; empty where it has none. */
export async function gitIdentity(env: Variables): Promise<GitIdentity> {
  const [name, email] = await Promise.all([setting('user.name', env), setting('user.email', env)])
  return {
    ...(name && { GIT_AUTHOR_NAME: name, GIT_COMMITTER_NAME: name }),
    ...(email && { GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_EMAIL: email }),
  }
}

function setting(key: string, env: Variables): Promise<string> {
  return new Promise((resolve) => {
    const options = { cwd: '/', env: { ...env }, timeout: gitMs, encoding: 'utf8' } as const
    // Without git, or without the setting, it fails: there is nothing to pass.
    execFile('git', ['config', '--get', key], options, (error, said) => resolve(error ? '' : said.trim()))
  })
}
