import { dirname } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { ownImage } from '../../../src/sandbox/docker/image.ts'
import { labelsFor, newName, thisProcess } from '../../../src/sandbox/docker/left-over.ts'
import { Home } from '../../cli/vitrine.ts'
import {
  containersOf,
  describeEngine,
  dockerToml,
  importImage,
  openDockerShell,
  removeImage,
  startContainer,
  testImage,
} from './engine.ts'

describeEngine('the command line', (engine) => {
  const homeWith = (toml = dockerToml()) => {
    const home = new Home()
    home.configure(toml)
    const env = { DOCKER_HOST: engine().host }
    const vitrine = (args: readonly string[], uid?: number) =>
      home.run(args, { env, ...(uid === undefined ? {} : { uid }) })
    return { home, vitrine }
  }

  it('status shows engine, image and containers, and says by its code whether all is there', async () => {
    const { vitrine } = homeWith()
    const shell = await openDockerShell(engine())
    await shell.execute({ command: 'true' })
    const { code, stdout } = await vitrine(['docker', 'status'])
    expect(code).toBe(0)
    expect(stdout).toContain(engine().socketPath)
    expect(stdout).toMatch(
      new RegExp(`^container vitrine-read-\\w+, running, of process ${process.pid}, ${shell.cwd}$`, 'm'),
    )
    const status = JSON.parse((await vitrine(['docker', 'status', '--json'])).stdout)
    expect(status).toMatchObject({ version: 1, chosen: false, image: { name: testImage, present: true } })
    expect(status.containers).toContainEqual(
      expect.objectContaining({ workspace: shell.cwd, leftOver: false }),
    )
    expect((await homeWith('').vitrine(['docker', 'status'])).code).toBe(1)
  })

  it('clean removes what is left over and nothing that is used', async () => {
    const { vitrine } = homeWith()
    const shell = await openDockerShell(engine())
    await shell.execute({ command: 'true' })
    // Of a namespace whose processes cannot be seen.
    const host = { ...thisProcess(), namespace: 'pid:[1]' }
    const Labels = { ...labelsFor('/left'), 'vitrine.host': JSON.stringify(host) }
    const left = await startContainer(engine(), newName('read'), { Cmd: ['false'], Labels })
    await engine().engine.call({ method: 'POST', path: `/containers/${left}/wait` })
    expect((await vitrine(['docker', 'clean'])).stdout).toMatch(/^removed .* \(\/left\)\n$/)
    expect((await vitrine(['docker', 'clean'])).stdout).toBe('There are no leftover containers.\n')
    const ids = (await containersOf(engine())).map((container) => container.Id)
    expect(ids).not.toContain(left)
    expect((await shell.execute({ command: 'echo still' })).stdout).toBe('still\n')
  })

  it('build makes the image that is used where none is named', async () => {
    const { home, vitrine } = homeWith('')
    onTestFinished(() => removeImage(engine(), ownImage))
    const { code, stderr } = await vitrine(['run', '--backend', 'docker', '--', 'true'])
    expect({ code, stderr }).toEqual({ code: 125, stderr: expect.stringContaining('vitrine docker build') })
    // Debian is not to be had here: what the Dockerfile asks of it, this does.
    const script = '#!/bin/sh\necho "$@" >> /apt-get.log\n'
    const files = { 'usr/bin/apt-get': script }
    await importImage(engine().engine, dirname(engine().socketPath), 'debian:bookworm-slim', files)
    const built = await vitrine(['docker', 'build'])
    expect(built).toMatchObject({
      code: 0,
      stdout: `The image ${ownImage} exists; [docker] image = "" uses it.\n`,
    })
    expect(built.stderr).not.toBe('')
    const ran = await vitrine(['run', '--backend', 'docker', '--', 'cat /apt-get.log'])
    expect(ran.stdout).toContain('install -y --no-install-recommends bash')
    home.configure(dockerToml())
    expect(await vitrine(['docker', 'build'])).toMatchObject({
      code: 125,
      stdout: expect.stringContaining(`"${testImage}" is not an image of vitrine`),
    })
  })
})
