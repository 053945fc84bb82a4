import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { containerMemoryHint } from '../../../src/messages/limits.ts'
import { mountTable } from '../../../src/sandbox/docker/mounts.ts'
import { makeDirectory } from '../../helpers/place.ts'
import { describeEngine, openDockerShell } from './engine.ts'

/** Holds more than the container has, in a variable of the shell's. */
const greedy = 'x=$(head -c 200000000 /dev/zero | tr "\\0" x); echo "$x" | wc -c'

describeEngine("a container's memory", (engine) => {
  it.each(['read', 'write'] as const)(
    'a full /tmp is an error of its writer and leaves memory for the next commands: %s mode',
    async (mode) => {
      const shell = await openDockerShell(engine(), { mode, toml: 'memory = "64m"\n' })
      const filling = await shell.execute({ command: 'cat /dev/zero > /tmp/full; df -k /tmp | tail -1' })
      expect(filling.output).toMatch(/no space left/i)
      expect(Number(filling.stdout.trim().split(/\s+/)[1])).toBeLessThanOrEqual(32 * 1024)
      expect(filling.limited).toBeUndefined()
      for (let round = 0; round < 3; round++)
        expect((await shell.execute({ command: 'ls / | wc -l' })).exitCode).toBe(0)
    },
  )

  it.each([
    ['64m', 8],
    ['1g', 64],
  ])('/dev/shm has an eighth of the memory, and at most 64 MiB: %s', async (memory, mebibytes) => {
    const shell = await openDockerShell(engine(), { toml: `memory = "${memory}"\n` })
    const { stdout } = await shell.execute({ command: 'df -k /dev/shm | tail -1' })
    expect(Number(stdout.trim().split(/\s+/)[1])).toBe(mebibytes * 1024)
  })

  it.each(['read', 'write'] as const)(
    'a command that the kernel kills for memory is limited, and says so: %s mode',
    async (mode) => {
      const shell = await openDockerShell(engine(), { mode, toml: 'memory = "64m"\n' })
      await shell.execute({ command: 'head -c 30000000 /dev/zero > /tmp/kept' })
      const result = await shell.execute({ command: greedy, timeoutMs: 60_000 })
      const value = 64 * 1024 ** 2
      expect(result).toMatchObject({
        limited: 'memory',
        outcome: { kind: 'limited', limit: 'memory', value, container: true },
        failure: { kind: 'limit' },
      })
      expect(result.hint).toContain(containerMemoryHint(value))
      // Its container is replaced, and with it what filled /tmp.
      expect((await shell.execute({ command: 'test -e /tmp/kept || echo new' })).stdout).toBe('new\n')
    },
  )
})

describeEngine('a mount beneath the workspace that a link takes the place of', (engine) => {
  const workspaces: string[] = []
  afterAll(() => {
    const points = mountTable().map(({ point }) => point)
    const own = points.filter((point) => workspaces.some((path) => point.startsWith(`${path}/`)))
    for (const point of own) execFileSync('umount', ['-l', point])
  })

  /** A workspace with a mount at `a/b`, and another user's directory that has a `b`, too. */
  function prepare() {
    const [victim, cwd] = [makeDirectory(), makeDirectory()]
    mkdirSync(join(victim, 'b'))
    writeFileSync(join(victim, 'b', 'kept'), 'as it was')
    mkdirSync(join(cwd, 'a', 'b'), { recursive: true })
    execFileSync('mount', ['-t', 'tmpfs', 'vitrine-test', join(cwd, 'a', 'b')])
    workspaces.push(cwd)
    const command = `cat ${victim}/b/kept a/b/kept; echo changed > ${victim}/b/kept; echo x > a/b/new`
    const isAsItWas = () => {
      expect(readFileSync(join(victim, 'b', 'kept'), 'utf8')).toBe('as it was')
      expect(readdirSync(join(victim, 'b'))).toEqual(['kept'])
    }
    return { victim, cwd, command, isAsItWas }
  }

  it('shows nothing else of this machine, in neither mode', async () => {
    const { victim, cwd, command, isAsItWas } = prepare()
    const shell = await openDockerShell(engine(), { cwd, mode: 'write' })
    const earlier = await openDockerShell(engine(), { cwd, mode: 'write' })
    // Any process that writes in the workspace can do that: a directory on the way to a mount can be moved.
    const swap = await shell.execute({ command: `mv a moved && ln -s ${victim} a` })
    expect(swap.exitCode, swap.stderr).toBe(0)
    for (const mode of ['read', 'write'] as const) {
      const later = await openDockerShell(engine(), { cwd, mode })
      expect((await later.execute({ command })).stdout).toBe('')
    }
    expect((await earlier.execute({ command })).stdout).toBe('')
    isAsItWas()
  })

  it.each(['read', 'write'] as const)(
    'while a container starts: nothing runs in it, %s mode',
    async (mode) => {
      const { victim, cwd, command, isAsItWas } = prepare()
      const swap = () => {
        renameSync(join(cwd, 'a'), join(cwd, 'moved'))
        symlinkSync(victim, join(cwd, 'a'))
      }
      const env = { DOCKER_HOST: `unix://${await passingOn(engine().socketPath, swap)}` }
      const shell = await openDockerShell(engine(), { cwd, mode, env })
      await expect(shell.execute({ command })).rejects.toMatchObject({
        code: 'SANDBOX_UNAVAILABLE',
        message: expect.stringContaining(join(cwd, 'a', 'b')),
      })
      isAsItWas()
    },
  )

  it.each(['of its directory', 'of itself'])("the engine's socket is shown by no mount %s", async (which) => {
    const cwd = makeDirectory()
    workspaces.push(cwd)
    const [to, socket] = [join(cwd, 'engine'), engine().socketPath]
    if (which === 'of itself') writeFileSync(to, '')
    else mkdirSync(to)
    execFileSync('mount', ['--bind', which === 'of itself' ? socket : dirname(socket), to])
    const shell = await openDockerShell(engine(), { cwd })
    await expect(shell.execute({ command: `ls ${to}` })).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      message: expect.stringContaining(to),
    })
  })

  /** A socket that passes everything on to the engine; `before` is called ahead of the request that makes a container. */
  async function passingOn(socketPath: string, before: () => void): Promise<string> {
    const path = join(makeDirectory(), 'docker.sock')
    const server = createServer({ allowHalfOpen: true }, (client) => {
      const behind = connect({ path: socketPath, allowHalfOpen: true })
      for (const socket of [client, behind]) socket.on('error', () => {})
      client.once('data', (chunk) => {
        // Not the container that is only asked for the image's accounts.
        if (chunk.includes('/containers/create') && chunk.includes('"Mounts"')) before()
      })
      client.pipe(behind).pipe(client)
    })
    server.unref()
    await new Promise<void>((resolve) => server.listen(path, resolve))
    return path
  }
})
