import { expect, it } from 'vitest'
import { Engine } from '../../../../src/sandbox/docker/engine.ts'
import { dockerSandbox, engineInfo } from '../../../../src/sandbox/docker/open.ts'
import { readEverything } from '../../../../src/sandbox/sandbox.ts'
import { startDouble, text } from './engine-double.ts'

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
