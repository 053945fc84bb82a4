import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { tried } from '../../base/errno.ts'
import { makeDirectories, replaceFile } from '../../base/files.ts'
import { packageFile } from '../../base/package-file.ts'
import { baseDirectory, systemTool } from '../../base/paths.ts'
import type { Environment } from '../../base/types.ts'
import { engineProblems } from '../../messages/docker.ts'
import { type Engine, EngineError, isEngineError, parsed } from './engine.ts'
import { hostLabel, modeLabel, newName, removeContainer, thisProcess } from './left-over.ts'
import { type ContainerUser, hostsPath, type UserMount } from './spec.ts'

const buildMs = 3_600_000

export interface Image {
  /** `sha256:...` */
  readonly id: string
  readonly variables: Readonly<Record<string, string>>
}

interface Inspected {
  readonly Id: string
  readonly Config?: { readonly Env?: readonly string[] | null }
}

/** Undefined: the engine does not have it. Throws EngineError. */
export async function inspectImage(engine: Engine, image: string): Promise<Image | undefined> {
  try {
    const path = `/images/${image}/json`
    const { Id, Config } = (await engine.call<Inspected | undefined>({ method: 'GET', path })) ?? {}
    if (typeof Id !== 'string') throw new EngineError(0, 'EPROTO', engineProblems.notJson)
    const pairs = (Config?.Env ?? []).map((line) => line.split('='))
    const variables = Object.fromEntries(pairs.map(([name, ...value]) => [name, value.join('=')]))
    return { id: Id, variables }
  } catch (error) {
    if (isEngineError(error) && error.status === 404) return undefined
    throw error
  }
}

interface BuildStep {
  readonly stream?: string
  readonly status?: string
  readonly error?: string
}

/** `said` gets the engine's output, line by line. Resolves to the build's error. Throws EngineError. */
export async function buildImage(
  engine: Engine,
  name: string,
  said: (text: string) => void,
): Promise<string | undefined> {
  const body = tarOf('Dockerfile', readFileSync(packageFile('src/sandbox/docker/Dockerfile')))
  const query = { t: name, rm: '1', forcerm: '1' }
  const request = { method: 'POST', path: '/build', query, body, timeoutMs: buildMs } as const
  for await (const line of engine.lines(request)) {
    if (line.trim() === '') continue
    const { stream, status, error } = parsed(line) as BuildStep
    if (error !== undefined) return error
    const text = stream ?? (status === undefined ? '' : `${status}\n`)
    if (text !== '') said(text)
  }
  return undefined
}

const blockBytes = 512

/** An archive of one file: POSIX.1-2001, pax, "ustar Interchange Format". */
function tarOf(name: string, content: Uint8Array): Buffer {
  const head = Buffer.alloc(blockBytes)
  const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`
  head.write(name, 0)
  head.write(octal(0o644, 8), 100) // mode
  head.write(octal(0, 8), 108) // uid
  head.write(octal(0, 8), 116) // gid
  head.write(octal(content.length, 12), 124)
  head.write(octal(0, 12), 136) // mtime
  head.write(' '.repeat(8), 148) // the checksum counts its own field as blanks
  head.write('0', 156) // a regular file
  head.write('ustar\0', 257)
  head.write('00', 263)
  const sum = head.reduce((total, byte) => total + byte, 0)
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  const padding = Buffer.alloc((blockBytes - (content.length % blockBytes)) % blockBytes)
  return Buffer.concat([head, content, padding, Buffer.alloc(2 * blockBytes)])
}

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
function withAccount(text: string, { uid, gid }: ContainerUser): string {
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
