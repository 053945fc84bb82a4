import { describe, expect, it, vi } from 'vitest'
import { dockerLauncher } from '../../../../src/launch/docker.ts'
import type { LaunchRequest, ProcessEnd } from '../../../../src/launch/launch.ts'
import type { Container } from '../../../../src/sandbox/docker/container.ts'
import { Containers } from '../../../../src/sandbox/docker/containers.ts'
import { Engine } from '../../../../src/sandbox/docker/engine.ts'
import { makeDirectory } from '../../../helpers/place.ts'
import {
  type Answer,
  type Answers,
  type EngineDouble,
  inTurn,
  startDouble,
  status,
  text,
} from './engine-double.ts'

const removal = 'DELETE /containers/c'
const kill = 'POST /containers/c/kill'

interface Started {
  readonly double: EngineDouble
  readonly containers: Containers
  readonly container: Container
}

/** The containers of a shell, one of which has been started. */
async function startContainer(answers: Answers): Promise<Started> {
  const double = await startDouble(
    {
      'POST /containers/create': text('{"Id":"c"}'),
      'POST /containers/c/start': status(204),
      'POST /containers/c/exec': text('{"Id":"e"}'),
      'GET /exec/e/json': text('{"Running":false,"ExitCode":0,"Pid":1}'),
      ...answers,
    },
    // Of another kernel: its mounts are compared with none.
    { 'POST /containers/c/attach': 'another kernel\n\n' },
  )
  const engine = await Engine.connect(double.socketPath)
  const workspace = makeDirectory()
  const containers = new Containers({
    engine,
    settings,
    workspace,
    places: [workspace],
    env: {},
    image: { id: 'x', variables: {} },
  })
  const { signal } = new AbortController()
  const request = { argv: ['true'], environment: {}, cwd: '/', stdin: false }
  const { container } = await containers.exec({ mode: 'read', fresh: true }, signal, request, () => {})
  return { double, containers, container }
}

const settings = {
  image: 'x',
  network: 'none',
  memory: 1024 ** 3,
  privateTmpBytes: 0,
  user: { uid: 1, gid: 1, groups: [] },
  mounts: [],
}

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

const times = ({ asked }: EngineDouble, wanted: string) => asked.filter((key) => key === wanted).length

/** The first process of the container ends at the end of its input. */
function endWithInput({ connections }: EngineDouble): void {
  connections[0]?.once('end', () => connections[0]?.end())
}

describe('a removal that failed', () => {
  it('is tried again when the shell is closed', async () => {
    const { double, containers, container } = await startContainer({
      [removal]: inTurn(status(500), status(204)),
    })
    endWithInput(double)
    await expect(container.remove()).rejects.toMatchObject({ name: 'EngineError', status: 500 })
    await containers.close()
    expect(times(double, removal)).toBe(2)
  })

  it('is not tried again once it has succeeded', async () => {
    const { double, containers, container } = await startContainer({ [removal]: status(204) })
    endWithInput(double)
    await Promise.all([container.remove(), container.remove()])
    await containers.close()
    expect(times(double, removal)).toBe(1)
  })
})

describe('a container that could not be ended', () => {
  const lost: Answer = (response) => response.socket?.destroy()

  it('is removed behind its command, whose end is then unknown', async () => {
    const { double, containers } = await startContainer({ [kill]: lost, [removal]: status(204) })
    const ended = new Promise<ProcessEnd>((resolve) => {
      dockerLauncher(containers).launch(command, { output: () => {}, started: () => {}, end: resolve })
    })
    const output = await vi.waitUntil(() => double.connections[3])
    output.end()
    const end = await ended
    expect(end).toMatchObject({ kind: 'signalled', lost: expect.anything() })
    await vi.waitFor(() => expect(times(double, removal)).toBe(1))
    await containers.close()
  })

  it('is removed all the same, and stays one whose end is unknown', async () => {
    const { double, containers, container } = await startContainer({ [kill]: lost, [removal]: status(204) })
    await expect(container.end()).rejects.toMatchObject({ name: 'EngineError', reason: 'ECONNRESET' })
    await containers.close()
    expect(times(double, removal)).toBe(1)
    expect(container.gone).toBe(true)
    await expect(container.end()).rejects.toMatchObject({ reason: 'ECONNRESET' })
  })
})
