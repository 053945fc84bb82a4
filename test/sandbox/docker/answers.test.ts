import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { engineInfo } from '../../../src/host/docker.ts'
import { dockerLauncher } from '../../../src/launch/docker.ts'
import type { LaunchRequest, ProcessEnd } from '../../../src/launch/launch.ts'
import { Containers } from '../../../src/sandbox/docker/containers.ts'
import { Engine } from '../../../src/sandbox/docker/engine.ts'
import { frameOf } from '../../../src/sandbox/docker/frames.ts'
import { buildImage } from '../../../src/sandbox/docker/image.ts'
import { engineSockets } from '../../../src/sandbox/docker/reach.ts'
import { dockerSandbox } from '../../../src/sandbox/docker/sandbox.ts'
import { readEverything } from '../../../src/sandbox/sandbox.ts'
import { afterFile } from '../../helpers/clean-up.ts'
import { makeDirectory } from '../../helpers/place.ts'

/** What a double does with a request, by method and path: it answers, or destroys the connection (`response.socket`). */
type Answers = Readonly<Record<string, (response: ServerResponse) => void>>

const keyOf = (method = '', url = '') => `${method} ${url.replace(/^\/v[\d.]+/, '').replace(/\?.*/, '')}`
const status = (code: number) => (response: ServerResponse) => response.writeHead(code).end()
const text = (body: string) => (response: ServerResponse) => response.end(body)

/** What is asked of an engine whose containers and commands start and end well. */
const usual: Answers = {
  'GET /_ping': (response) => response.writeHead(200, { 'api-version': '1.41' }).end('OK'),
  'POST /containers/create': text('{"Id":"c"}'),
  'POST /containers/c/start': status(204),
  'POST /containers/c/exec': text('{"Id":"e"}'),
  'GET /exec/e/json': text('{"Running":false,"ExitCode":0,"Pid":1}'),
  'DELETE /containers/c': status(204),
}

/** An engine that gives the answers of a test, on a unix socket: for what no real one can be made to do. */
async function startDouble(answers: Answers) {
  const asked: string[] = []
  const connections: Socket[] = []
  const server = createServer((request, response) => {
    const key = keyOf(request.method, request.url)
    asked.push(key)
    const answer = { ...usual, ...answers }[key] ?? status(404)
    request.resume().once('end', () => answer(response))
  })
  server.on('upgrade', ({ url = '' }, socket: Socket) => {
    connections.push(socket.on('error', () => {}).resume())
    const head = 'HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n'
    // Of another kernel: its mounts are compared with none.
    const greeting = url.includes('/attach') ? 'another kernel\n\n' : ''
    socket.write(Buffer.concat([Buffer.from(head), frameOf(1, Buffer.from(greeting))]))
  })
  const socketPath = join(makeDirectory(), 'docker.sock')
  await once(server.listen(socketPath), 'listening')
  afterFile(() => {
    for (const socket of connections) socket.destroy()
    server.close().closeAllConnections()
  })
  return { engine: await Engine.connect(socketPath), asked, connections }
}

const containersAt = (engine: Engine) =>
  new Containers({
    engine,
    settings: { image: 'x', network: 'none', memory: 1024 ** 3, privateTmpBytes: 0 },
    user: { uid: 4321, gid: 4321, groups: [] },
    image: { variables: {} },
    places: [makeDirectory()],
    mounts: [],
  })

it('an answer that breaks off is an error, after the lines before it', async () => {
  const { engine } = await startDouble({
    'POST /build': (response) => {
      response.write('{"stream":"Step 1/2\\n"}\n', () => response.socket?.destroy())
    },
  })
  const said: string[] = []
  const building = buildImage(engine, 'x', (line) => said.push(line))
  await expect(building).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE', status: 0 })
  expect(said).toEqual(['Step 1/2\n'])
})

const command: LaunchRequest = {
  candidates: ['/bin/true'],
  argv: ['true'],
  environment: {},
  cwd: '/',
  stdin: null,
  terminal: null,
  merged: false,
  tellsStart: false,
  limits: null,
  deadline: { timeoutMs: 30_000, graceMs: 200 },
  confinement: { kind: 'container', fresh: true, changes: null, network: false },
}

it.each<[string, Answers]>([
  ['an answer is no JSON', { 'GET /exec/e/json': text('<html>') }],
  ['its container cannot be ended', { 'DELETE /containers/c': (response) => response.socket?.destroy() }],
])('how a command ended is unknown where %s', async (_, answers) => {
  const { engine, asked, connections } = await startDouble(answers)
  const containers = containersAt(engine)
  const ended = new Promise<ProcessEnd>((end) => {
    dockerLauncher(containers).launch(command, { output: () => {}, started: () => {}, end })
  })
  // The first one is the container's, the second one the command's.
  const output = await vi.waitUntil(() => connections[1])
  output.end()
  expect(await ended).toMatchObject({ kind: 'signalled', lost: expect.anything() })
  await vi.waitFor(() => expect(asked).toContain('DELETE /containers/c'))
  await containers.close()
})

it.each([
  [['name=rootless', 'name=seccomp,profile=default'], true],
  [['name=seccomp,profile=builtin'], true],
  [null, false],
  [[], false],
  [['name=seccomp,profile=unconfined'], false],
  [['name=seccomp,profile=/etc/own.json'], false],
])('an engine with %j holds keys and namespaces: %s', async (SecurityOptions, held) => {
  const { engine } = await startDouble({ 'GET /info': text(JSON.stringify({ SecurityOptions })) })
  const { hasSeccomp } = await engineInfo(engine)
  const containers = containersAt(engine)
  const sandbox = dockerSandbox({ network: 'none', hasSeccomp, places: [], containers })
  const options = { network: 'none', reads: readEverything, privateTmp: false, changes: null } as const
  const { keys, namespaces } = sandbox.enforcement(options)
  expect([keys?.enforced, namespaces?.enforced]).toEqual([held, held])
})

it('DOCKER_HOST without a path names the usual socket, and no port of this machine', () => {
  const path = '/var/run/docker.sock'
  expect(engineSockets({ DOCKER_HOST: 'unix://' })).toEqual([{ name: 'DOCKER_HOST', path }])
})
