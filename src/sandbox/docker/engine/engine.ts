import { type ClientRequest, type IncomingMessage, request as startRequest } from 'node:http'
import type { Socket } from 'node:net'
import { types } from 'node:util'
import { errorCode, errorText } from '../../../base/errno.ts'

/** The engine did not do what it was asked. */
export class EngineError extends Error {
  override readonly name = 'EngineError'
  /** The HTTP status of its answer; 0: there was none. */
  readonly status: number
  /** Without an answer the code of the system error, or ETIMEDOUT. */
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

/** One request to the engine: docs.docker.com/reference/api/engine. */
export interface EngineRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Without the version: `/containers/json`. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  /** Sent as JSON; bytes are sent as they are. */
  readonly body?: object
  /** Milliseconds in which the answer has to begin, and to be there whole. Default 30 seconds. */
  readonly timeoutMs?: number
  /** Gives the request up: it fails with ECANCELED. */
  readonly signal?: AbortSignal | undefined
  /** It does not keep the process alive. */
  readonly inBackground?: boolean
}

/** A connection that the engine has handed over: bytes both ways, to a process's streams. */
export interface Connection {
  readonly socket: Socket
  /** What came behind the answer's head already. */
  readonly head: Buffer
}

const defaultTimeoutMs = 30_000
/** Versions of the API from 19.03 on have what is used here; a newer one than the last seen is not asked for. */
const oldestApi = 40
const newestApi = 44

/** A Docker engine that listens on a unix socket. */
export class Engine {
  /** Where it listens. */
  readonly socketPath: string
  /** `1.41` */
  readonly api: string

  private constructor(socketPath: string, api: string) {
    this.socketPath = socketPath
    this.api = api
  }

  /** Asks the engine whether it is there, and for its version. Throws EngineError. */
  static async connect(socketPath: string, timeoutMs = 5000): Promise<Engine> {
    const { headers } = await exchange(socketPath, { method: 'GET', path: '/_ping', timeoutMs })
    const minor = Number(/^1\.(\d+)$/.exec(String(headers['api-version'] ?? ''))?.[1] ?? Number.NaN)
    if (!(minor >= oldestApi)) {
      const said = String(headers['api-version'] ?? 'no version')
      throw new EngineError(0, 'EPROTO', `it speaks API ${said}; 1.${oldestApi} is needed`)
    }
    return new Engine(socketPath, `1.${Math.min(minor, newestApi)}`)
  }

  /** Sends a request; the answer's JSON. Throws EngineError. */
  async call<T>(request: EngineRequest): Promise<T> {
    const { text } = await exchange(this.socketPath, this.#versioned(request))
    return (text === '' ? undefined : JSON.parse(text)) as T
  }

  /** The same; the answer's bytes. */
  async bytes(request: EngineRequest): Promise<Buffer> {
    const { text } = await exchange(this.socketPath, this.#versioned(request), 'latin1')
    return Buffer.from(text, 'latin1')
  }

  /** Takes a connection over. Throws EngineError. */
  hijack(request: EngineRequest): Promise<Connection> {
    const versioned = this.#versioned(request)
    return new Promise((resolve, reject) => {
      const sent = send(this.socketPath, versioned, { connection: 'Upgrade', upgrade: 'tcp' }, reject)
      sent.once('upgrade', (_answer, socket, head) => resolve({ socket: socket as Socket, head }))
      sent.once('response', (answer) => {
        textOf(answer).then((text) => reject(refused(answer, text)), reject)
      })
    })
  }

  /** Sends a request whose answer comes line by line. Throws EngineError. */
  async *lines(request: EngineRequest): AsyncGenerator<string> {
    const answer = await answerOf(this.socketPath, this.#versioned(request))
    if ((answer.statusCode ?? 0) >= 400) throw refused(answer, await textOf(answer))
    let rest = ''
    for await (const chunk of answer.setEncoding('utf8')) {
      const lines = (rest + String(chunk)).split('\n')
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
  encoding: BufferEncoding = 'utf8',
): Promise<{ readonly text: string; readonly headers: IncomingMessage['headers'] }> {
  const answer = await answerOf(socketPath, request)
  const text = await textOf(answer, encoding)
  if ((answer.statusCode ?? 0) >= 400) throw refused(answer, text)
  return { text, headers: answer.headers }
}

function answerOf(socketPath: string, request: EngineRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    send(socketPath, request, {}, reject).once('response', resolve)
  })
}

/** One connection each: they live on a local socket. */
function send(
  socketPath: string,
  { method, path, query, body, timeoutMs = defaultTimeoutMs, signal, inBackground }: EngineRequest,
  headers: Readonly<Record<string, string>>,
  fail: (error: EngineError) => void,
): ClientRequest {
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
  const timer = setTimeout(() => {
    sent.destroy(new EngineError(0, 'ETIMEDOUT', `it did not answer within ${timeoutMs} ms`))
  }, timeoutMs)
  const giveUp = () => sent.destroy(new EngineError(0, 'ECANCELED', 'the request was given up'))
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
  sent.once('upgrade', inTime).once('close', inTime)
  sent.once('error', (error) => {
    inTime()
    fail(isEngineError(error) ? error : new EngineError(0, errorCode(error) ?? 'EIO', error.message))
  })
  sent.end(bytes)
  return sent
}

async function textOf(answer: IncomingMessage, encoding: BufferEncoding = 'utf8'): Promise<string> {
  let text = ''
  try {
    for await (const chunk of answer.setEncoding(encoding)) text += String(chunk)
  } catch (error) {
    if (isEngineError(error)) throw error
    throw new EngineError(0, errorCode(error) ?? 'EIO', `its answer broke off: ${errorText(error)}`)
  }
  return text
}

function refused(answer: IncomingMessage, text: string): EngineError {
  const status = answer.statusCode ?? 0
  return new EngineError(status, '', saidIn(text) ?? `HTTP ${status}`)
}

/** The engine says what is wrong as `{"message": ...}`. */
function saidIn(text: string): string | undefined {
  try {
    const { message } = JSON.parse(text) as { message?: unknown }
    return typeof message === 'string' ? message.trim() : undefined
  } catch {
    // No JSON: whatever stands between us and the engine said it.
    return text.trim() === '' ? undefined : text.trim()
  }
}
