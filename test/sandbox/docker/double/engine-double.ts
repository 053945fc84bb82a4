import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { Containers } from '../../../../src/sandbox/docker/containers.ts'
import { Engine } from '../../../../src/sandbox/docker/engine.ts'
import { frameOf } from '../../../../src/sandbox/docker/frames.ts'
import { afterFile } from '../../../helpers/clean-up.ts'
import { makeDirectory } from '../../../helpers/place.ts'

/** What a double does with a request: it answers, or destroys the connection (`response.socket`). */
export type Answer = (response: ServerResponse) => void

/** By method and path, without the API version: `DELETE /containers/c`. */
export type Answers = Readonly<Record<string, Answer>>

export interface EngineDouble {
  readonly socketPath: string
  /** What was asked of it, in order: the keys of `Answers`. */
  readonly asked: readonly string[]
  /** The bodies that came along, in the same order. */
  readonly bodies: readonly string[]
  /** The connections that it has handed over. */
  readonly connections: readonly Socket[]
}

/** An engine that gives the answers of a test, on a unix socket: for what no real one can be made to do. */
export async function startDouble(answers: Answers, greetings: Readonly<Record<string, string>> = {}) {
  const asked: string[] = []
  const bodies: string[] = []
  const connections: Socket[] = []
  const keyOf = (method = '', url = '') => `${method} ${url.replace(/^\/v[\d.]+/, '').replace(/\?.*/, '')}`
  const server = createServer(async (request, response) => {
    const key = keyOf(request.method, request.url)
    const answer = { ...always, ...answers }[key] ?? status(404)
    const at = asked.push(key) - 1
    bodies[at] = await readText(request)
    answer(response)
  })
  server.on('upgrade', ({ method, url }, socket: Socket) => {
    const key = keyOf(method, url)
    bodies[asked.push(key) - 1] = ''
    connections.push(socket.on('error', () => {}).resume())
    const head = 'HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n'
    socket.write(Buffer.concat([Buffer.from(head), frameOf(1, Buffer.from(greetings[key] ?? ''))]))
  })
  const socketPath = join(makeDirectory(), 'docker.sock')
  await once(server.listen(socketPath), 'listening')
  afterFile(() => {
    for (const socket of connections) socket.destroy()
    server.close().closeAllConnections()
  })
  return { socketPath, asked, bodies, connections } satisfies EngineDouble
}

const always: Answers = {
  'GET /_ping': (response) => response.writeHead(200, { 'api-version': '1.41' }).end('OK'),
}

export function status(code: number): Answer {
  return (response) => response.writeHead(code).end()
}

export function text(body: string): Answer {
  return (response) => response.end(body)
}

/** The containers of a shell, at a double whose containers and commands start and end well but for `answers`. */
export async function startContainers(answers: Answers, given: Partial<Containers['options']> = {}) {
  const double = await startDouble(
    {
      'POST /containers/create': text('{"Id":"c"}'),
      'POST /containers/c/start': status(204),
      'POST /containers/c/exec': text('{"Id":"e"}'),
      'GET /exec/e/json': text('{"Running":false,"ExitCode":0,"Pid":1}'),
      'DELETE /containers/c': status(204),
      ...answers,
    },
    // Of another kernel: its mounts are compared with none.
    { 'POST /containers/c/attach': 'another kernel\n\n' },
  )
  const settings = { image: 'x', network: 'none', memory: 1024 ** 3, privateTmpBytes: 0 }
  const workspace = makeDirectory()
  const containers = new Containers({
    engine: await Engine.connect(double.socketPath),
    settings,
    user: { uid: 4321, gid: 4321, groups: [7, 8] },
    image: { variables: {} },
    places: [workspace],
    mounts: [],
    ...given,
  })
  return { double, containers, workspace }
}
