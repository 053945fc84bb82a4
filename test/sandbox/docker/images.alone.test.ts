import { dirname } from 'node:path'
import { expect, it } from 'vitest'
import type { Shell } from '../../../src/shell.ts'
import { makeDirectory, openTestShell } from '../../helpers/place.ts'
import { makeMarker } from '../../helpers/processes.ts'
import {
  containersOf,
  describeEngine,
  eventually,
  importImage,
  openDockerShell,
  sleepers,
  unavailable,
} from './engine.ts'

describeEngine('images and containers that cannot be used', (engine) => {
  const openWith = (image: string, cwd = makeDirectory()) =>
    openTestShell({
      cwd,
      backend: 'docker',
      toml: `[docker]\nimage = ${JSON.stringify(image)}\n`,
      env: { DOCKER_HOST: engine().host },
    })

  it('a missing image is not pulled', async () => {
    await expect(openWith('busybox:9')).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      refusal: { for: 'docker', wanted: 'the image busybox:9' },
    })
  })

  it('a workspace in which the socket of the engine lies is refused', async () => {
    const cwd = dirname(engine().socketPath)
    await expect(openDockerShell(engine(), { cwd })).rejects.toMatchObject(
      unavailable(`${cwd}, which contains the engine's socket`),
    )
  })

  const imageWithShell = async (name: string, shell: string) => {
    await importImage(engine().engine, dirname(engine().socketPath), name, { 'bin/sh': shell })
    return name
  }

  const images = {
    /** Two blocks of zeros are an archive without a file. */
    async empty() {
      const query = { fromSrc: '-', repo: 'vitrine-empty', tag: '1' }
      const body = Buffer.alloc(1024)
      await engine()
        .engine.call({ method: 'POST', path: '/images/create', query, body })
        .catch(() => {})
      return 'vitrine-empty:1'
    },
    'of another processor'() {
      // The head of an ELF program for s390x.
      const foreign = `\x7fELF\x02\x02\x01${'\0'.repeat(9)}\x00\x02\x00\x16${'\0'.repeat(44)}`
      return imageWithShell('vitrine-foreign:1', foreign)
    },
    'whose shell lacks its loader': () => imageWithShell('vitrine-script:1', '#!/lib/nosuch.so\n'),
  }

  it.each(Object.entries(images))('an image %s: its shell is named', async (_, make) => {
    const image = await make()
    const shell = await openWith(image)
    await expect(shell.execute({ command: 'true' })).rejects.toMatchObject(unavailable('/bin/sh'))
    await shell.close()
    await eventually(async () => (await ownOf(shell)).length === 0, 'no container is left')
  })

  const ownOf = ({ cwd }: Shell) => containersOf(engine(), cwd)

  async function pausedContainer(shell: Shell) {
    expect((await shell.execute({ command: 'echo first' })).stdout).toBe('first\n')
    const [own] = await ownOf(shell)
    await engine().engine.call({ method: 'POST', path: `/containers/${own?.Id}/pause` })
    return own?.Id
  }

  it('one of write mode, which may hold more, is named until it goes on', async () => {
    const shell = await openDockerShell(engine(), { mode: 'write' })
    const paused = await pausedContainer(shell)
    await expect(shell.execute({ command: 'true' })).rejects.toMatchObject(unavailable('paused'))
    await engine().engine.call({ method: 'POST', path: `/containers/${paused}/unpause` })
    expect((await shell.execute({ command: 'echo next' })).stdout).toBe('next\n')
  })

  it.each(['read', 'write'] as const)(
    'a container that is paused in mid-command ends at the deadline: %s mode',
    async (mode) => {
      const shell = await openDockerShell(engine(), { mode })
      const marker = makeMarker()
      const running = shell.execute({ command: `sleep ${marker}`, timeoutMs: 2500 })
      // A pause while a process is joining would freeze the container for good.
      await eventually(() => sleepers(marker).length > 0, 'it runs')
      const [own] = await ownOf(shell)
      await engine().engine.call({ method: 'POST', path: `/containers/${own?.Id}/pause` })
      const result = await running
      expect(result).toMatchObject({ timedOut: true })
      expect((await shell.execute({ command: 'echo next' })).stdout).toBe('next\n')
      await shell.close()
      expect(await ownOf(shell)).toEqual([])
    },
  )
})
