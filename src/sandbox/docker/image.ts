import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { tried } from '../../base/errno.ts'
import { makeDirectories, replaceFile } from '../../base/files.ts'
import { packageFile } from '../../base/package-file.ts'
import { baseDirectory, systemTool } from '../../base/paths.ts'
import type { Environment } from '../../base/types.ts'
import { type Engine, engineTried, isEngineError } from './engine.ts'
import { hostsPath, type Mount } from './mounts.ts'
import type { ContainerUser } from './spec.ts'

/** Built by `vitrine docker build`; used if [docker] image is empty. */
export const ownImage = 'vitrine-tools:1'

export interface Image {
  readonly variables: Readonly<Record<string, string>>
}

interface Inspected {
  readonly Config?: { readonly Env?: readonly string[] | null }
}

/** Undefined: the engine does not have it. Throws EngineError. */
export async function inspectImage(engine: Engine, image: string): Promise<Image | undefined> {
  const path = `/images/${image}/json`
  const found = await engineTried(engine.call<Inspected>({ method: 'GET', path }))
  if (!isEngineError(found)) {
    const pairs = (found.Config?.Env ?? []).map((line) => line.split('='))
    return { variables: Object.fromEntries(pairs.map(([name, ...value]) => [name, value.join('=')])) }
  }
  if (found.status === 404) return undefined
  throw found
}

const buildMs = 3_600_000

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
  const file = packageFile('src/sandbox/docker/Dockerfile')
  const body = execFileSync(systemTool('tar') ?? '/usr/bin/tar', ['-cC', dirname(file), 'Dockerfile'])
  const query = { t: name, rm: '1', forcerm: '1' }
  const request = { method: 'POST', path: '/build', query, body, timeoutMs: buildMs } as const
  for await (const line of engine.lines(request)) {
    if (line.trim() === '') continue
    const { stream, status, error } = engine.parsed(line) as BuildStep
    if (error !== undefined) return error
    const text = stream ?? (status === undefined ? '' : `${status}\n`)
    if (text !== '') said(text)
  }
  return undefined
}

/** hosts(5), as the engine writes it for a container without a network. */
const hosts = '127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n'

/** Where git finds its system configuration (GIT_CONFIG_SYSTEM, git(1)). */
export const gitConfigPath = '/.vitrine/gitconfig'

/**
 * Below those of `[docker] mounts`: accounts for `whoami`, ssh and Python's `getpass`; /etc/hosts; who commits by git. Kept in
 * the state directory, by content; what cannot be written is left out.
 */
export async function ownMounts(user: ContainerUser, env: Environment): Promise<readonly Mount[]> {
  const texts = { '/etc/passwd': accounts(user), [hostsPath]: hosts, [gitConfigPath]: await gitConfig(env) }
  const directory = join(baseDirectory(env, 'XDG_STATE_HOME'), 'vitrine/docker')
  return Object.entries(texts).flatMap(([target, text]) => {
    const source = join(directory, createHash('sha256').update(text).digest('hex').slice(0, 16))
    return existsSync(source) || tried(() => keep(source, text)) ? [{ source, target, writable: false }] : []
  })
}

function keep(file: string, text: string): true {
  makeDirectories(dirname(file), 0o700)
  replaceFile(file, text, 0o644)
  return true
}

/** passwd(5) with the commands' user: a container has no other processes. */
function accounts({ uid, gid }: ContainerUser): string {
  const own = tried(() => userInfo())
  const isOwn = own?.uid === uid && /^[a-z_][\w-]*$/i.test(own.username)
  const lines = [
    'root:x:0:0:root:/root:/bin/sh',
    'nobody:x:65534:65534:nobody:/nonexistent:/bin/false',
    `${isOwn ? own.username : 'vitrine'}:x:${uid}:${gid}::/tmp:/bin/sh`,
  ]
  return `${lines.filter((line, index) => index === 2 || line.split(':')[2] !== String(uid)).join('\n')}\n`
}

/** This user's name and address outside of every repository. What the image or HOME configures takes precedence. */
async function gitConfig(env: Environment): Promise<string> {
  const [name, email] = await Promise.all(['user.name', 'user.email'].map((key) => gitSetting(key, env)))
  const known = [name && `name = ${JSON.stringify(name)}`, email && `email = ${JSON.stringify(email)}`]
  return `[user]\n${known.filter(Boolean).join('\n')}\n[include]\npath = /etc/gitconfig\n`
}

const gitMs = 2000

/** Empty without git or without the setting. */
export function gitSetting(key: string, env: Environment): Promise<string> {
  return new Promise((resolve) => {
    const options = { cwd: '/', env: { ...env }, timeout: gitMs, encoding: 'utf8' } as const
    execFile(systemTool('git') ?? '/usr/bin/git', ['config', '--get', key], options, (error, said) =>
      resolve(error ? '' : said.trim()),
    )
  })
}
