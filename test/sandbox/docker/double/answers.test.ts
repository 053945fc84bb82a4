import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { engineProblems } from '../../../../src/messages/docker.ts'
import { Engine } from '../../../../src/sandbox/docker/engine.ts'
import { Exec } from '../../../../src/sandbox/docker/exec.ts'
import { buildImage, ownMounts } from '../../../../src/sandbox/docker/image.ts'
import { dockerSandbox, engineInfo } from '../../../../src/sandbox/docker/open.ts'
import { engineSockets } from '../../../../src/sandbox/docker/reach.ts'
import { readEverything } from '../../../../src/sandbox/sandbox.ts'
import { makeDirectory } from '../../../helpers/place.ts'
import { type Answer, type Answers, startDouble, status, text } from './engine-double.ts'

const engineWith = async (answers: Answers, greetings?: Readonly<Record<string, string>>) =>
  Engine.connect((await startDouble(answers, greetings)).socketPath)

/** A line of the answer, and the engine is gone. */
const breaksOff: Answer = (response) => {
  response.write('{"stream":"Step 1/2\\n"}\n', () => response.socket?.destroy())
}

const notJson = { name: 'EngineError', status: 0, reason: 'EPROTO', message: engineProblems.notJson }

describe('an answer that breaks off', () => {
  it('is an EngineError, after the lines before it', async () => {
    const engine = await engineWith({ 'POST /build': breaksOff })
    const said: string[] = []
    await expect(buildImage(engine, 'x', (line) => said.push(line))).rejects.toMatchObject({
      name: 'EngineError',
      status: 0,
      reason: 'ECONNRESET',
    })
    expect(said).toEqual(['Step 1/2\n'])
  })
})

describe('an answer that is no JSON', () => {
  it('is an EngineError', async () => {
    const engine = await engineWith({ 'GET /version': text('<html>') })
    await expect(engine.call({ method: 'GET', path: '/version' })).rejects.toMatchObject(notJson)
  })

  it('leaves it unknown how a command ended', async () => {
    const double = await startDouble({
      'POST /containers/c/exec': text('{"Id":"e"}'),
      'GET /exec/e/json': text('<html>'),
    })
    const engine = await Engine.connect(double.socketPath)
    const request = { argv: ['true'], environment: {}, cwd: '/', stdin: false }
    const exec = await Exec.start(engine, 'c', { uid: 1, gid: 1, groups: [] }, request, () => {})
    double.connections[0]?.end()
    expect(await exec.ended).toEqual({ kind: 'lost', said: engineProblems.notJson })
  })
})

it('shells that open at the same time all get the files that containers mount', async () => {
  const { socketPath } = await startDouble({
    'POST /containers/create': text('{"Id":"c"}'),
    'DELETE /containers/c': status(204),
  })
  const engine = await Engine.connect(socketPath)
  const env = { XDG_STATE_HOME: makeDirectory() }
  const user = { uid: 4321, gid: 4321, groups: [] }
  const shells = Array.from({ length: 4 }, () => ownMounts(engine, 'sha256:0', user, env))
  for (const mounts of await Promise.all(shells)) {
    expect(mounts.map(({ target }) => target)).toEqual(['/etc/passwd', '/etc/hosts'])
    expect(readFileSync(mounts[0]?.source ?? '', 'utf8')).toContain(':4321:4321:')
  }
})

async function enforcementOf(SecurityOptions: readonly string[] | null) {
  const { socketPath } = await startDouble({ 'GET /info': text(JSON.stringify({ SecurityOptions })) })
  const { hasSeccomp } = await engineInfo(await Engine.connect(socketPath))
  const sandbox = dockerSandbox({
    network: 'none',
    hasSeccomp,
    places: [],
    inside: () => [],
    close: async () => {},
  })
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
