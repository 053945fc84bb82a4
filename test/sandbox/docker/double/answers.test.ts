import { describe, expect, it } from 'vitest'
import { containerFailed, engineProblems } from '../../../../src/messages/docker.ts'
import { Engine } from '../../../../src/sandbox/docker/engine.ts'
import { Exec } from '../../../../src/sandbox/docker/exec.ts'
import { buildImage } from '../../../../src/sandbox/docker/image.ts'
import { Home, refused } from '../../../cli/vitrine.ts'
import { makeDirectory, openTestShell } from '../../../helpers/place.ts'
import { type Answer, type Answers, startDouble, text } from './engine-double.ts'

const engineWith = async (answers: Answers, greetings?: Readonly<Record<string, string>>) =>
  Engine.connect((await startDouble(answers, greetings)).socketPath)

/** A line of the answer, and the engine is gone. */
const breaksOff: Answer = (response) => {
  response.write('{"stream":"Step 1/2\\n"}\n', () => response.socket?.destroy())
}

/** The engine gives the same answer to all that opening a shell asks. */
const everything = (answer: string): Answers => ({
  'GET /info': text(answer),
  'GET /images/vitrine-tools:1/json': text(answer),
})

/** Hands a connection over in place of an answer. */
const handOver: Answer = ({ socket }) => {
  socket?.write('HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n')
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

  it('of a build is a refusal of the command line, and no bug of vitrine', async () => {
    const { socketPath } = await startDouble({ 'POST /build': breaksOff })
    const env = { DOCKER_HOST: `unix://${socketPath}` }
    const { code, stderr } = await new Home().run(['docker', 'build'], { env })
    const words = containerFailed(engineProblems.broken('aborted'))
    const { stderr: refusal, code: refusing } = refused({
      code: 'SANDBOX_UNAVAILABLE',
      for: 'docker',
      ...words,
    })
    expect(code).toBe(refusing)
    expect(stderr.endsWith(refusal)).toBe(true)
  })
})

describe('an answer that is no JSON', () => {
  it('is an EngineError', async () => {
    const engine = await engineWith({ 'GET /version': text('<html>') })
    await expect(engine.call({ method: 'GET', path: '/version' })).rejects.toMatchObject(notJson)
  })

  it.each(['null', '5', '"x"', '', '[]'])('is none where an object is needed either: %j', async (answer) => {
    const opening = openTestShell({
      cwd: makeDirectory(),
      backend: 'docker',
      env: { DOCKER_HOST: `unix://${(await startDouble(everything(answer))).socketPath}` },
    })
    await expect(opening).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' })
  })

  it('is none if it switches to another protocol', async () => {
    const engine = await engineWith({ 'GET /version': handOver })
    await expect(engine.call({ method: 'GET', path: '/version' })).rejects.toMatchObject(notJson)
  })

  it('is one in a build, too', async () => {
    const engine = await engineWith({ 'POST /build': text('<html>\n') })
    await expect(buildImage(engine, 'x', () => {})).rejects.toMatchObject(notJson)
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
