import { readFileSync } from 'node:fs'
import { packageFile } from '../../base/package-file.ts'
import { engineProblems } from '../../messages/docker.ts'
import { type Engine, EngineError, isEngineError, parsed } from './engine.ts'

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
export function tarOf(name: string, content: Uint8Array): Buffer {
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
