import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { Engine } from '../../../../src/sandbox/docker/engine.ts'
import { ownMounts } from '../../../../src/sandbox/docker/image.ts'
import { hostLabel, readHost, thisProcess } from '../../../../src/sandbox/docker/left-over.ts'
import { makeDirectory } from '../../../helpers/place.ts'
import { startDouble, status, text } from './engine-double.ts'

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

it('the container from which they are read names its host, so that another host can remove it', async () => {
  const { socketPath, asked, bodies } = await startDouble({
    'POST /containers/create': text('{"Id":"c"}'),
    'DELETE /containers/c': status(204),
  })
  const user = { uid: 4321, gid: 4321, groups: [] }
  await ownMounts(await Engine.connect(socketPath), 'sha256:0', user, { XDG_STATE_HOME: makeDirectory() })
  const body = JSON.parse(bodies[asked.indexOf('POST /containers/create')] ?? '')
  expect(readHost(body.Labels[hostLabel])).toEqual(thisProcess())
})
