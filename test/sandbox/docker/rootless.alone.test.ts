import { chownSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { Home } from '../../cli/vitrine.ts'
import { aliveWith, makeMarker } from '../../helpers/processes.ts'
import { dockerToml } from './engine.ts'
import { kinds, type RootlessEngine, startRootless } from './rootless.ts'

for (const kind of kinds) {
  const started = await startRootless(kind)
  const skipped = typeof started === 'string' ? ` (skipped: ${started})` : ''
  describe.skipIf(typeof started === 'string')(`${kind.name} of an ordinary user${skipped}`, () => {
    const { user, runtimeDirectory, socketPath, engine, stop } = started as RootlessEngine
    afterAll(() => stop())

    const homeOfUser = () => {
      const home = new Home()
      home.configure(dockerToml())
      for (const path of ['.', '.config', '.config/vitrine', '.config/vitrine/config.toml'])
        chownSync(join(home.directory, path), user.uid, user.gid)
      const env = {
        DOCKER_HOST: '',
        DOCKER_CONTEXT: '',
        DOCKER_CONFIG: '',
        XDG_RUNTIME_DIR: runtimeDirectory,
      }
      const vitrine = (...args: readonly string[]) => home.run(args, { env, uid: user.uid })
      return { home, vitrine }
    }

    it('is found at its socket, and named', async () => {
      const { vitrine } = homeOfUser()
      const { sockets } = JSON.parse((await vitrine('docker', 'status', '--json')).stdout)
      expect(sockets).toContainEqual({ name: kind.name, path: socketPath, api: engine.api })
      expect((await vitrine('doctor', '--backend', 'docker')).stdout).toContain(`${kind.name}: ${socketPath}`)
    })

    it('read mode sees the workspace and leaves it as it is', async () => {
      const { home, vitrine } = homeOfUser()
      writeFileSync(join(home.directory, 'kept'), 'as it was')
      const ran = await vitrine('run', '--backend', 'docker', '--', 'cat kept; echo x > kept; echo x > new')
      expect(ran).toMatchObject({ code: 1, stdout: 'as it was' })
      expect(readFileSync(join(home.directory, 'kept'), 'utf8')).toBe('as it was')
      expect(readdirSync(home.directory)).not.toContain('new')
    })

    it("write mode's files belong to the user", async () => {
      const { home, vitrine } = homeOfUser()
      const ran = await vitrine('run', '--backend', 'docker', '--write', '--', 'echo made > made')
      expect(ran).toMatchObject({ code: 0, stderr: '' })
      expect(statSync(join(home.directory, 'made'))).toMatchObject(user)
    })

    it.each([
      ['read', []],
      ['write', ['--write']],
    ])('a deadline ends the command, and nothing of its line runs on: %s mode', async (_, flags) => {
      const { home, vitrine } = homeOfUser()
      const line = 'sleep 30; touch rest; echo rest'
      const ran = await vitrine('run', '--backend', 'docker', ...flags, '--timeout', '1s', '--', line)
      expect(ran).toMatchObject({ code: 124, stdout: '' })
      expect(readdirSync(home.directory)).not.toContain('rest')
      expect((await vitrine('run', '--backend', 'docker', '--', 'echo next')).stdout).toBe('next\n')
    })

    it('no process of a command of read mode outlives it', async () => {
      const { vitrine } = homeOfUser()
      const marker = makeMarker()
      const ran = await vitrine(
        'run',
        '--json',
        '--backend',
        'docker',
        '--',
        `sleep ${marker} & echo started`,
      )
      expect(JSON.parse(ran.stdout)).toMatchObject({ exitCode: 0, stdout: 'started\n' })
      expect(aliveWith(marker)).toEqual([])
    })
  })
}
