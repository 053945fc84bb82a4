import { expect, it, vi } from 'vitest'
import { engineInfo } from '../../../../src/host/docker.ts'
import { dockerLauncher } from '../../../../src/launch/docker.ts'
import type { LaunchRequest, ProcessEnd } from '../../../../src/launch/launch.ts'
import { Engine } from '../../../../src/sandbox/docker/engine.ts'
import { buildImage } from '../../../../src/sandbox/docker/image.ts'
import { engineSockets } from '../../../../src/sandbox/docker/reach.ts'
import { dockerSandbox } from '../../../../src/sandbox/docker/sandbox.ts'
import { readEverything } from '../../../../src/sandbox/sandbox.ts'
import { type Answer, type Answers, startContainers, startDouble, text } from './engine-double.ts'

const engineWith = async (answers: Answers, greetings?: Readonly<Record<string, string>>) =>
  Engine.connect((await startDouble(answers, greetings)).socketPath)

/** A line of the answer, and the engine is gone. */
const breaksOff: Answer = (response) => {
  response.write('{"stream":"Step 1/2\\n"}\n', () => response.socket?.destroy())
}

it('an answer that breaks off is an error, after the lines before it', async () => {
  const engine = await engineWith({ 'POST /build': breaksOff })
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
  limits: null,
  deadline: { timeoutMs: 30_000, graceMs: 200 },
  confinement: { kind: 'container', fresh: true, changes: null, network: false },
}

it.each<[string, Answers]>([
  ['an answer is no JSON', { 'GET /exec/e/json': text('<html>') }],
  ['its container cannot be ended', { 'DELETE /containers/c': (response) => response.socket?.destroy() }],
])('how a command ended is unknown where %s', async (_, answers) => {
  const { double, containers } = await startContainers(answers)
  const ended = new Promise<ProcessEnd>((end) => {
    dockerLauncher(containers).launch(command, { output: () => {}, started: () => {}, end })
  })
  // The first one is the container's, the second one the command's.
  const output = await vi.waitUntil(() => double.connections[1])
  output.end()
  expect(await ended).toMatchObject({ kind: 'signalled', lost: expect.anything() })
  await vi.waitFor(() => expect(double.asked).toContain('DELETE /containers/c'))
  await containers.close()
})

async function enforcementOf(SecurityOptions: readonly string[] | null) {
  const { socketPath } = await startDouble({ 'GET /info': text(JSON.stringify({ SecurityOptions })) })
  const { hasSeccomp } = await engineInfo(await Engine.connect(socketPath))
  const { containers } = await startContainers({})
  const sandbox = dockerSandbox({ network: 'none', hasSeccomp, places: [], containers })
  const options = { network: 'none', reads: readEverything, privateTmp: false } as const
  const { keys, namespaces } = sandbox.enforcement({ ...options, changes: null })
  return [keys?.enforced, namespaces?.enforced]
}

it.each(['default', 'builtin'])('keys and namespaces are held by the seccomp profile "%s"', async (name) =>
  expect(await enforcementOf(['name=rootless', `name=seccomp,profile=${name}`])).toEqual([true, true]),
)

it.each([[null], [[]], [['name=seccomp,profile=unconfined']], [['name=seccomp,profile=/etc/own.json']]])(
  'neither is held by what the engine has: %j',
  async (options) => expect(await enforcementOf(options)).toEqual([false, false]),
)

it('DOCKER_HOST without a path names the usual socket, and no port of this machine', () => {
  const path = '/var/run/docker.sock'
  expect(engineSockets({ DOCKER_HOST: 'unix://' })).toEqual([{ name: 'DOCKER_HOST', path }])
})
