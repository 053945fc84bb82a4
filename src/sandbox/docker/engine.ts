import { type ClientRequest, type IncomingMessage, request as startRequest } from 'node:http'
import type { Socket } from 'node:net'
import { types } from 'node:util'
import { abortAfter } from '../../base/clock.ts'
import { errorMessage, errorReason, errorText, tried } from '../../base/errno.ts'
import type { Unmet } from '../../base/refusal.ts'
import { unavailable, type VitrineError } from '../../messages/error.ts'

/** SANDBOX_UNAVAILABLE, because the engine failed to do what a request asked for. */
export interface EngineError extends VitrineError {
  /** The HTTP status of the answer; 0: there was none, or none that is complete and can be understood. */
  readonly status: number
  readonly said: string
}

export function isEngineError(error: unknown): error is EngineError {
  return typeof Object(error).said === 'string'
}

/** The engine's error instead of a rejection. */
export async function engineTried<T>(work: Promise<T>): Promise<T | EngineError> {
  try {
    return await work
  } catch (error) {
    if (isEngineError(error)) return error
    throw error
  }
}

export function engineError(from: string, status: number, said: string): EngineError {
  const refusal = status === 0 ? engineMissing(from, said) : containerFailed(said)
  return Object.assign(refusal, { status, said })
}

function containerFailed(said: string): VitrineError {
  return refusalOf({
    wanted: 'a container',
    got: `the engine reports: ${said}`,
    remedy:
      'fix what it reports; the image needs a /bin/sh that runs here, and [docker] configures the container',
  })
}

/** @param from the socket, or what should have named it */
export function engineMissing(from: string, said: string): VitrineError {
  return refusalOf({
    wanted: 'a Docker engine on this machine',
    got: `${from}: ${said}`,
    remedy:
      'start the engine, or name its socket in DOCKER_HOST (unix:///path); EACCES: join the group of the socket (usually docker; it grants root), or use a rootless engine',
  })
}

export function refusalOf(words: Unmet): VitrineError {
  return unavailable({ for: 'docker', ...words })
}

/** docs.docker.com/reference/api/engine. */
export interface EngineRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Without the API version: `/containers/json`. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  /** Sent as JSON; bytes are sent unchanged. */
  readonly body?: object
  /** Milliseconds until the answer must have begun, and be complete. Default 30 seconds. */
  readonly timeoutMs?: number
  /** Aborts the request, which then fails. */
  readonly signal?: AbortSignal | undefined
}

/** A connection that the engine has handed over: bytes both ways, to and from a process's streams. */
export interface EngineConnection {
  readonly socket: Socket
  /** Bytes that arrived along with the answer's header. */
  readonly head: Buffer
}

const defaultTimeoutMs = 30_000
const pingMs = 5000
/** Docker 19.03 has all that is used; no version newer than the last one tested is requested. */
const oldestApi = 40
const newestApi = 44

export class Engine {
  readonly socketPath: string
  /** Such as `1.41`. */
  readonly api: string

  private constructor(socketPath: string, api: string) {
    this.socketPath = socketPath
    this.api = api
  }

  /** Pings the engine and negotiates the API version. Throws EngineError. */
  static async connect(socketPath: string): Promise<Engine> {
    const answer = await answerOf(socketPath, { method: 'GET', path: '/_ping', timeoutMs: pingMs })
    answer.resume()
    const version = String(answer.headers['api-version'])
    const minor = Number(/^1\.(\d+)$/.exec(version)?.[1])
    if (minor >= oldestApi) return new Engine(socketPath, `1.${Math.min(minor, newestApi)}`)
    throw engineError(socketPath, 0, `it speaks API ${version}; 1.${oldestApi} is needed`)
  }

  /** Throws EngineError. */
  async call<T>(request: EngineRequest): Promise<T> {
    const text = await textOf(this.socketPath, await this.#answer(request))
    return (text === '' ? undefined : this.parsed(text)) as T
  }

  /** Throws EngineError. */
  hijack(request: EngineRequest): Promise<EngineConnection> {
    const versioned = this.#versioned(request)
    return new Promise((resolve, reject) => {
      const sent = send(this.socketPath, versioned, { connection: 'Upgrade', upgrade: 'tcp' }, reject)
      sent.once('upgrade', (_answer, socket, head) => resolve({ socket: socket as Socket, head }))
      sent.once('response', (answer) => refused(this.socketPath, answer).then(reject, reject))
    })
  }

  /** The lines of the answer, as they arrive. Throws EngineError. */
  async *lines(request: EngineRequest): AsyncGenerator<string> {
    let rest = ''
    for await (const piece of piecesOf(this.socketPath, await this.#answer(request))) {
      const lines = (rest + piece).split('\n')
      rest = lines.pop() ?? ''
      yield* lines
    }
    if (rest !== '') yield rest
  }

  /** Reads an object or array of the engine. Throws EngineError. */
  parsed(text: string): object {
    const value: unknown = tried(() => JSON.parse(text))
    if (typeof value === 'object' && value !== null) return value
    throw engineError(this.socketPath, 0, 'its answer is not JSON')
  }

  #answer(request: EngineRequest): Promise<IncomingMessage> {
    return answerOf(this.socketPath, this.#versioned(request))
  }

  #versioned(request: EngineRequest): EngineRequest {
    return { ...request, path: `/v${this.api}${request.path}` }
  }
}

/** Throws EngineError, also for an answer that says no. */
async function answerOf(socketPath: string, request: EngineRequest): Promise<IncomingMessage> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    send(socketPath, request, {}, reject).once('response', resolve)
  })
  if ((answer.statusCode ?? 0) < 400) return answer
  throw await refused(socketPath, answer)
}

/** Uses one connection per request: on a local socket they are cheap. */
function send(
  socketPath: string,
  { method, path, query, body, timeoutMs = defaultTimeoutMs, signal }: EngineRequest,
  headers: Readonly<Record<string, string>>,
  fail: (error: EngineError) => void,
): ClientRequest {
  const isArchive = types.isUint8Array(body)
  const bytes = isArchive ? body : body && Buffer.from(JSON.stringify(body))
  const type = isArchive ? 'application/x-tar' : 'application/json'
  const wait = abortAfter(timeoutMs, signal)
  const sent = startRequest({
    socketPath,
    method,
    path: query ? `${path}?${new URLSearchParams(query)}` : path,
    agent: false,
    signal: wait.signal,
    headers: {
      host: 'docker',
      ...headers,
      ...(bytes && { 'content-type': type, 'content-length': bytes.length }),
    },
  })
  sent.once('upgrade', wait.end).once('close', wait.end)
  sent.once('error', (error) => {
    const code = errorReason(error)
    const said = code === 'ABORT_ERR' ? `it did not answer within ${timeoutMs} ms` : code
    fail(engineError(socketPath, 0, said))
  })
  sent.end(bytes)
  return sent
}

async function textOf(socketPath: string, answer: IncomingMessage): Promise<string> {
  let text = ''
  for await (const piece of piecesOf(socketPath, answer)) text += piece
  return text
}

/** The answer as it arrives. Throws EngineError. */
async function* piecesOf(socketPath: string, answer: IncomingMessage): AsyncGenerator<string> {
  try {
    yield* answer.setEncoding('utf8')
  } catch (error) {
    throw engineError(socketPath, 0, `its answer broke off: ${errorText(error)}`)
  }
}

/** The engine reports errors as `{"message": ...}`; other text comes from a proxy between us and the engine. */
async function refused(socketPath: string, answer: IncomingMessage): Promise<EngineError> {
  const text = await textOf(socketPath, answer)
  const said = errorMessage(tried(() => JSON.parse(text))) ?? text
  const status = answer.statusCode ?? 0
  return engineError(socketPath, status, said.trim() || `HTTP ${status}`)
}
