import { describe, expect, it } from 'vitest'
import { engineProblems } from '../../../../src/messages/docker.ts'
import { Engine } from '../../../../src/sandbox/docker/engine.ts'
import { Exec } from '../../../../src/sandbox/docker/exec.ts'
import { buildImage } from '../../../../src/sandbox/docker/image.ts'
import { type Answer, type Answers, startDouble, text } from './engine-double.ts'

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
