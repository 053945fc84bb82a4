import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { tried } from '../../base/errno.ts'
import { makeDirectories, replaceFile } from '../../base/files.ts'
import { baseDirectory, systemTool } from '../../base/paths.ts'
import type { Environment } from '../../base/types.ts'
import { type Engine, isEngineError } from './engine.ts'
import { hostLabel, modeLabel, newName, removeContainer, thisProcess } from './left-over.ts'
import { hostsPath, type UserMount } from './mounts.ts'
import type { ContainerUser } from './spec.ts'

/** hosts(5), as the engine writes it for a container without a network. */
const hosts = '127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n'

/**
 * Below those of `[docker] mounts`: /etc/hosts, and /etc/passwd for `whoami`, ssh and Python's `getpass`.
 * Cached in the state directory; what cannot be written is left out. Throws EngineError.
 */
export async function ownMounts(
  engine: Engine,
  imageId: string,
  user: ContainerUser,
  env: Environment,
): Promise<readonly UserMount[]> {
  const image = imageId.replace(/^sha256:/, '').slice(0, 32)
  const found = await Promise.all([
    kept(env, `passwd-${image}-${user.uid}-${user.gid}`, '/etc/passwd', () =>
      accountText(engine, imageId, user),
    ),
    kept(env, 'hosts', hostsPath, async () => hosts),
  ])
  return found.filter((mount) => mount !== undefined)
}

async function kept(
  env: Environment,
  name: string,
  target: string,
  textOf: () => Promise<string>,
): Promise<UserMount | undefined> {
  const source = join(baseDirectory(env, 'XDG_STATE_HOME'), 'vitrine/docker', name)
  if (existsSync(source)) return { source, target, writable: false }
  const text = await textOf()
  try {
    makeDirectories(dirname(source), 0o700)
    replaceFile(source, text, 0o644)
    return { source, target, writable: false }
  } catch {
    return undefined // commands still run, as a user without a name
  }
}

/** An image's /etc/passwd, with an account for the commands' user. Throws EngineError. */
async function accountText(engine: Engine, image: string, user: ContainerUser): Promise<string> {
  return withAccount(await accountsOf(engine, image), user)
}

/** passwd(5), with a line added for a user that has none. */
export function withAccount(text: string, { uid, gid }: ContainerUser): string {
  const accounts = text.split('\n').filter((line) => line !== '')
  if (accounts.some((line) => line.split(':')[2] === String(uid))) return text
  const taken = new Set(accounts.map((line) => line.split(':')[0]))
  const name = [nameHere(uid), 'vitrine', `user${uid}`].find((wanted) => wanted && !taken.has(wanted))
  return `${[...accounts, `${name}:x:${uid}:${gid}::/tmp:/bin/sh`].join('\n')}\n`
}

function nameHere(uid: number): string | undefined {
  const own = tried(() => userInfo())
  return own?.uid === uid && /^[a-z_][\w-]*$/i.test(own.username) ? own.username : undefined
}

/** An image's /etc/passwd, read from a container that is created but never started; empty if it has none. */
async function accountsOf(engine: Engine, image: string): Promise<string> {
  const labels = { [hostLabel]: JSON.stringify(thisProcess()), [modeLabel]: 'read' }
  const body = { Image: image, Entrypoint: ['/bin/sh'], NetworkDisabled: true, Labels: labels }
  const id = await engine.createContainer(newName('read'), body)
  try {
    const query = { path: '/etc/passwd' }
    return fileIn(await engine.bytes({ method: 'GET', path: `/containers/${id}/archive`, query }))
  } catch (error) {
    if (isEngineError(error) && error.status === 404) return ''
    throw error
  } finally {
    void removeContainer(engine, id, { inBackground: true }).catch(() => {}) // it never ran and holds nothing
  }
}

/** The content of an archive's first entry (ustar): octal length at offset 124, type character at 156. */
function fileIn(archive: Buffer): string {
  const isFile = archive[156] === '0'.charCodeAt(0)
  const length = Number.parseInt(archive.toString('latin1', 124, 135), 8)
  return isFile ? archive.toString('utf8', 512, 512 + length) : ''
}

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
