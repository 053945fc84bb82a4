import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { Engine } from '../../../../src/sandbox/docker/engine.ts'
import { ownMounts } from '../../../../src/sandbox/docker/image.ts'
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
