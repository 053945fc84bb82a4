import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { remedies } from '../../../src/messages/hints.ts'
import { makeDirectory } from '../../helpers/place.ts'
import { containersOf, describeEngine, openDockerShell } from './engine.ts'

describeEngine('what a container holds', (engine) => {
  const mounted: string[] = []
  afterAll(() => {
    for (const path of mounted) execFileSync('umount', ['-l', path])
  })

  it.each([
    'echo changed > kept; echo x > new; rm kept; mv kept moved; mkdir d; ln kept linked; ln -s kept link',
    'chmod 777 kept; touch -d 2001-01-01 kept; truncate -s 0 kept; mknod node c 1 3',
  ])('read mode leaves the workspace as it is: %s', async (command) => {
    const shell = await openDockerShell(engine())
    const file = join(shell.cwd, 'kept')
    writeFileSync(file, 'as it was')
    chmodSync(file, 0o640)
    const { mode, mtimeMs, ctimeMs, ino } = statSync(file)
    const { stderr, failure, hint } = await shell.execute({ command })
    expect(stderr.match(/Read-only file system/g)).toHaveLength(command.split(';').length)
    expect(readdirSync(shell.cwd)).toEqual(['kept'])
    expect(readFileSync(file, 'utf8')).toBe('as it was')
    expect(statSync(file)).toMatchObject({ mode, mtimeMs, ctimeMs, ino })
    expect(failure?.kind).toBe('permission-denied')
    expect(hint).toContain(remedies.user.write)
  })

  it('write mode changes it, still in a container', async () => {
    const shell = await openDockerShell(engine(), { mode: 'write' })
    const result = await shell.execute({ command: 'echo changed > kept; echo x > /etc/x; ls /; hostname' })
    expect(readFileSync(join(shell.cwd, 'kept'), 'utf8')).toBe('changed\n')
    expect(result).toMatchObject({ mode: 'write', backend: 'docker' })
    expect(result.stderr).toContain('/etc/x: Read-only file system')
    expect(result.stdout).not.toContain('root\n')
    expect(existsSync('/etc/x')).toBe(false)
  })

  it('there is no network, no capability, no way to a new privilege, no socket of the engine', async () => {
    const shell = await openDockerShell(engine())
    const { stdout } = await shell.execute({
      command:
        'cat /proc/self/status; ls /sys/class/net; find / -xdev -name "docker.sock" 2>/dev/null; echo end',
    })
    expect(stdout).toMatch(/^CapEff:\t0+$/m)
    expect(stdout).toMatch(/^CapBnd:\t0+$/m)
    expect(stdout).toMatch(/^NoNewPrivs:\t1$/m)
    expect(stdout).toMatch(/^Seccomp:\t2$/m)
    expect(stdout).toMatch(/\nlo\nend\n$/)
  })

  it('its memory has no swap, and its processes and their IPC are limited, as the engine says', async () => {
    const shell = await openDockerShell(engine(), { toml: 'memory = "64m"\n' })
    await shell.execute({ command: 'true' })
    const [own] = await containersOf(engine(), shell.cwd)
    const path = `/containers/${own?.Id}/json`
    const { HostConfig } = await engine().engine.call<{ HostConfig: object }>({ method: 'GET', path })
    const Memory = 64 * 1024 ** 2
    expect(HostConfig).toMatchObject({ Memory, MemorySwap: Memory, PidsLimit: 1024, IpcMode: 'private' })
  })

  // 65533 is the user of the first process, where commands are another's.
  it.each(['0:0', '65533:1'])('the first process cannot be ended by a command of %s', async (user) => {
    const shell = await openDockerShell(engine(), { toml: `user = "${user}"\n` })
    await shell.execute({ command: 'kill -9 -1; kill -9 1; kill -9 7; true' })
    const before = await containersOf(engine())
    expect((await shell.execute({ command: 'echo still' })).stdout).toBe('still\n')
    expect((await containersOf(engine())).map(({ Id }) => Id)).toEqual(before.map(({ Id }) => Id))
  })

  it('a mount beneath the workspace is read-only in read mode, too', async () => {
    const shell = await openMounted()
    await shell.execute({ command: 'echo changed > mounted/kept; echo x > mounted/new' })
    expect(readdirSync(join(shell.cwd, 'mounted'))).toEqual(['kept'])
    expect(readFileSync(join(shell.cwd, 'mounted/kept'), 'utf8')).toBe('as it was')
    expect((await shell.execute({ command: 'cat mounted/kept' })).stdout).toBe('as it was')
    shell.mode = 'write'
    await shell.execute({ command: 'echo x > mounted/new' })
    expect(readdirSync(join(shell.cwd, 'mounted')).sort()).toEqual(['kept', 'new'])
  })

  async function openMounted() {
    const cwd = makeDirectory()
    const point = join(cwd, 'mounted')
    mkdirSync(point)
    execFileSync('mount', ['-t', 'tmpfs', 'vitrine-test', point])
    mounted.push(point)
    writeFileSync(join(point, 'kept'), 'as it was')
    return openDockerShell(engine(), { cwd })
  }

  it('nothing else of this machine can be read', async () => {
    const outside = join(makeDirectory(), 'outside')
    writeFileSync(outside, 'secret')
    const shell = await openDockerShell(engine())
    const { exitCode, stdout } = await shell.execute({ argv: ['cat', outside] })
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
  })

  it('the size of a private /tmp is limited', async () => {
    const toml = '[limits]\nprivate_tmp_bytes = 1048576\n'
    const shell = await openDockerShell(engine(), { privateTmp: true, toml })
    const { stdout } = await shell.execute({
      command: 'head -c 3000000 /dev/zero > /tmp/big; wc -c < /tmp/big',
    })
    expect(stdout.trim()).toBe('1048576')
  })
})
