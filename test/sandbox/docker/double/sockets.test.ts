import { expect, it } from 'vitest'
import { engineSockets } from '../../../../src/sandbox/docker/reach.ts'

it('DOCKER_HOST without a path names the usual socket, and no port of this machine', () => {
  const path = '/var/run/docker.sock'
  expect(engineSockets({ DOCKER_HOST: 'unix://' })).toEqual([{ name: 'DOCKER_HOST', path }])
})
