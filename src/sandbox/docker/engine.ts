import { type ClientRequest, type IncomingMessage, request as startRequest } from 'node:http'
import type { Socket } from 'node:net'
import { types } from 'node:util'
import { errorCode, errorMessage, errorText, tried } from '../../base/errno.ts'
import type { Unmet } from '../../base/refusal.ts'
import {
  containerFailed,
  engineMissing,
  engineProblems,
  engineSilent,
  imageMissing,
  noShellIn,
  pausedWords,
} from '../../messages/docker.ts'
import { unavailable, type VitrineError } from '../../messages/error.ts'

/** The engine failed to do what a request asked for. */
export class EngineError extends Error {
  override readonly name = 'EngineError'
  /** The HTTP status of the answer; 0: there was none, or none that is complete and can be understood. */
  readonly status: number
  /** Without an answer, the code of the system error, or ETIMEDOUT; EPROTO: it cannot be understood. */
  readonly reason: string

  constructor(status: number, reason: string, message: string) {
    super(message)
    this.status = status
    this.reason = reason
  }
}

export function isEngineError(error: unknown): error is EngineError {
  return Object(error).name === 'EngineError'
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
  /** Aborts the request, which then fails with ECANCELED. */
  readonly signal?: AbortSignal | undefined
  /** The request does not keep the process alive. */
  readonly inBackground?: boolean
}

/** A connection that the engine has handed over: bytes both ways, to and from a process's streams. */
export interface EngineConnection {
  readonly socket: Socket
  /** Bytes that arrived along with the answer's header. */
  readonly head: Buffer
}

const defaultTimeoutMs = 30_000
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
  static async connect(socketPath: string, timeoutMs = 5000): Promise<Engine> {
    const { headers } = await exchange(socketPath, { method: 'GET', path: '/_ping', timeoutMs })
    const minor = Number(/^1\.(\d+)$/.exec(String(headers['api-version'] ?? ''))?.[1] ?? Number.NaN)
    if (!(minor >= oldestApi)) {
      const said = engineProblems.oldApi(headers['api-version']?.toString(), `1.${oldestApi}`)
      throw new EngineError(0, 'EPROTO', said)
    }
    return new Engine(socketPath, `1.${Math.min(minor, newestApi)}`)
  }

  /** Throws EngineError. */
  async call<T>(request: EngineRequest): Promise<T> {
    const bytes = await this.bytes(request)
    return (bytes.length === 0 ? undefined : parsed(bytes.toString())) as T
  }

  /** Makes a container, which is not started. Returns its id. Throws EngineError. */
  async createContainer(name: string, body: object): Promise<string> {
    const path = '/containers/create'
    return (await this.call<{ readonly Id: string }>({ method: 'POST', path, query: { name }, body })).Id
  }

  /** Throws EngineError. */
  async bytes(request: EngineRequest): Promise<Buffer> {
    return (await exchange(this.socketPath, this.#versioned(request))).bytes
  }

  /** Throws EngineError. */
  hijack(request: EngineRequest): Promise<EngineConnection> {
    const versioned = this.#versioned(request)
    return new Promise((resolve, reject) => {
      const sent = send(this.socketPath, versioned, { connection: 'Upgrade', upgrade: 'tcp' }, reject)
      sent.once('upgrade', (_answer, socket, head) => resolve({ socket: socket as Socket, head }))
      sent.once('response', (answer) => {
        bytesOf(answer).then((bytes) => reject(refused(answer, bytes)), reject)
      })
    })
  }

  /** The lines of the answer, as they arrive. Throws EngineError. */
  async *lines(request: EngineRequest): AsyncGenerator<string> {
    const answer = await answerOf(this.socketPath, this.#versioned(request))
    let rest = ''
    for await (const piece of piecesOf(answer.setEncoding('utf8'))) {
      const lines = (rest + piece).split('\n')
      rest = lines.pop() ?? ''
      yield* lines
    }
    if (rest !== '') yield rest
  }

  #versioned(request: EngineRequest): EngineRequest {
    return { ...request, path: `/v${this.api}${request.path}` }
  }
}

async function exchange(
  socketPath: string,
  request: EngineRequest,
): Promise<{ readonly bytes: Buffer; readonly headers: IncomingMessage['headers'] }> {
  const answer = await answerOf(socketPath, request)
  return { bytes: await bytesOf(answer), headers: answer.headers }
}

/** Throws EngineError for an answer that says no. */
async function answerOf(socketPath: string, request: EngineRequest): Promise<IncomingMessage> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = send(socketPath, request, {}, reject).once('response', resolve)
    sent.once('upgrade', (_answer, socket) => {
      socket.destroy()
      reject(new EngineError(0, 'EPROTO', engineProblems.notJson))
    })
  })
  if ((answer.statusCode ?? 0) < 400) return answer
  throw refused(answer, await bytesOf(answer))
}

/** Uses one connection per request: on a local socket they are cheap. */
function send(
  socketPath: string,
  request: EngineRequest,
  headers: Readonly<Record<string, string>>,
  fail: (error: EngineError) => void,
): ClientRequest {
  const { method, path, query, body } = request
  const search = query ? `?${new URLSearchParams(query)}` : ''
  const isBytes = types.isUint8Array(body)
  const bytes = isBytes ? body : body && Buffer.from(JSON.stringify(body))
  const type = isBytes ? 'application/x-tar' : 'application/json'
  const sent = startRequest({
    socketPath,
    method,
    path: path + search,
    agent: false,
    headers: {
      host: 'docker',
      ...headers,
      ...(bytes && { 'content-type': type, 'content-length': bytes.length }),
    },
  })
  endInTime(sent, request)
  sent.once('error', (error) => {
    fail(isEngineError(error) ? error : new EngineError(0, errorCode(error) ?? 'EIO', error.message))
  })
  sent.end(bytes)
  return sent
}

/** Destroys a request that has neither ended nor become a connection at its time limit, or when its signal aborts. */
function endInTime(
  sent: ClientRequest,
  { timeoutMs = defaultTimeoutMs, signal, inBackground }: EngineRequest,
): void {
  const timer = setTimeout(() => {
    sent.destroy(new EngineError(0, 'ETIMEDOUT', engineProblems.late(timeoutMs)))
  }, timeoutMs)
  const giveUp = () => sent.destroy(new EngineError(0, 'ECANCELED', engineProblems.cancelled))
  const inTime = () => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', giveUp)
  }
  signal?.addEventListener('abort', giveUp)
  if (signal?.aborted) giveUp()
  if (inBackground) {
    timer.unref()
    sent.once('socket', (socket) => socket.unref())
  }
  sent.once('upgrade', inTime).once('close', inTime).once('error', inTime)
}

async function bytesOf(answer: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of piecesOf<Buffer>(answer)) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** The answer as it arrives. Throws EngineError. */
async function* piecesOf<Piece>(answer: AsyncIterable<Piece>): AsyncGenerator<Piece> {
  try {
    yield* answer
  } catch (error) {
    if (isEngineError(error)) throw error
    throw new EngineError(0, errorCode(error) ?? 'EIO', engineProblems.broken(errorText(error)))
  }
}

/** Reads an object or array of the engine. Throws EngineError. */
export function parsed(text: string): object {
  const value: unknown = tried(() => JSON.parse(text))
  if (typeof value === 'object' && value !== null) return value
  throw new EngineError(0, 'EPROTO', engineProblems.notJson)
}

function refused({ statusCode: status = 0 }: IncomingMessage, bytes: Buffer): EngineError {
  return new EngineError(status, '', saidIn(bytes.toString()) ?? `HTTP ${status}`)
}

/** The engine reports errors as `{"message": ...}`. */
function saidIn(text: string): string | undefined {
  const answer: unknown = tried(() => JSON.parse(text))
  // Not JSON: the message comes from a proxy between us and the engine.
  if (answer === undefined) return text.trim() || undefined
  return errorMessage(answer)?.trim()
}

export function refusalOf(words: Unmet): VitrineError {
  return unavailable({ for: 'docker', ...words })
}

export function engineRefusal({ socketPath }: Engine, image: string, error: EngineError): VitrineError {
  const { status, reason, message } = error
  if (reason === 'ETIMEDOUT') return refusalOf(engineSilent(socketPath, message))
  if (isDown(error)) return refusalOf(engineMissing(socketPath, reason, message))
  if (status === 404 && /no such image/i.test(message)) return refusalOf(imageMissing(image))
  if (saysPaused(error)) return refusalOf(pausedWords(message))
  return refusalOf(/exec: "\/bin\/sh"/.test(message) ? noShellIn(image, message) : containerFailed(message))
}

/** No engine answers at the socket. */
export function isDown({ reason }: EngineError): boolean {
  return reason === 'ENOENT' || reason === 'ECONNREFUSED'
}

/** The container was paused from outside: nothing can be started in it. */
export function saysPaused({ status, message }: EngineError): boolean {
  return status === 409 && /\bpaused\b/.test(message)
}
