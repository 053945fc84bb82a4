import { execFileSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ShellOptions } from '../../../src/host/shell-options.ts'
import { buildPrograms } from '../../attacks/build.ts'
import { nobody, whyNot } from '../../helpers/other-users.ts'
import { makeDirectory, openTestShell } from '../../helpers/place.ts'
import { isInstalled, repository } from '../../helpers/programs.ts'
import { probing } from '../../sandbox/hosts.ts'
import { makeGround, shorts } from './denied.ts'
import { toldBy, writeTeller } from './tellers.ts'

const isRoot = process.getuid?.() === 0

/** What a teller prints beneath a filter that refuses one call, as a container's does. */
function refusing(call: number, script: string, home: string): string {
  const program = join(repository, 'test/fixtures/host/refusing-calls.py')
  const argv = [program, constants.errno.EPERM, call, call, process.execPath, script].map(String)
  return execFileSync('python3', argv, { encoding: 'utf8', env: { ...process.env, HOME: home } })
}

describe('where refusals can be reported', () => {
  it('enforcement says by what', async () => {
    const { shell } = await makeGround()
    expect(shell.enforcement['denial reports']).toMatchObject({ enforced: true, by: 'seccomp listener' })
  })

  it('paths are told where a container refuses process_vm_readv', ({ skip }) => {
    if (!isInstalled('python3')) return skip('python3 is not installed')
    const directory = makeDirectory()
    const script = writeTeller(directory, 'echo x > new; mkdir made')
    // asm/unistd_64.h, asm-generic/unistd.h
    const stdout = refusing(process.arch === 'x64' ? 310 : 270, script, directory)
    expect(shorts(toldBy(stdout).result)).toEqual([`create ${directory}/new`, `create ${directory}/made`])
  })

  it('a process that made itself unreadable is refused and counted, without its path', async ({ skip }) => {
    const reason = isRoot ? whyNot(nobody) : null
    if (reason) return skip(reason)
    const directory = makeDirectory()
    const { supervisor } = buildPrograms()
    chmodSync(directory, 0o777)
    const attempts = ['open', 'unlink'].map((call) => `'${supervisor}' unreadable ${call} ${directory}/file`)
    const script = writeTeller(directory, attempts.join('; '))
    writeFileSync(join(directory, 'file'), 'kept', { mode: 0o666 })
    const stdout = execFileSync(process.execPath, [script], {
      encoding: 'utf8',
      cwd: directory,
      ...(isRoot ? nobody : {}),
      env: { PATH: process.env['PATH'], HOME: directory },
    })
    const { result } = toldBy(stdout)
    expect(result.stdout).toBe('errno EACCES\nerrno EACCES\n')
    expect(shorts(result)).toEqual(['write', 'delete'])
  })
})

describe.skipIf(!isInstalled('python3'))('where a container refuses pidfd_getfd', () => {
  const tell = (command: string, options: ShellOptions) => {
    const directory = makeDirectory()
    return toldBy(refusing(438, writeTeller(directory, command, options), directory)) // asm-generic/unistd.h
  }

  it('an exclusive lock in a private TMPDIR is refused, and enforcement says so', ({ skip }) => {
    if (!isInstalled('flock')) return skip('flock is not installed')
    const { result, enforcement } = tell('flock "$TMPDIR" echo locked', { privateTmp: true })
    expect(result).toMatchObject({ stdout: '', denials: [expect.objectContaining({ operation: 'lock' })] })
    expect(enforcement['private tmp']).toEqual({
      enforced: true,
      by: 'landlock+seccomp listener',
      note: expect.stringContaining('pidfd_getfd'),
    })
  })

  it('a UDP client reaches its server, and a bind to an address is refused', () => {
    const client = `import socket
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); server.bind(("", 0)); server.connect(("127.0.0.1", 9))
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); client.bind(("", 0)); client.sendto(b"x", server.getsockname())
print(client.getsockname()[1] > 0); client.bind(("127.0.0.1", 0))`
    const { result, enforcement } = tell(`python3 -c '${client}'`, { network: true })
    expect(result.stdout).toBe('True\n')
    expect(result.stderr).toContain('PermissionError')
    expect(enforcement['network']?.note).toContain('pidfd_getfd')
  })
})

describe('where they cannot', () => {
  it('below another vitrine commands are held, and enforcement says that nothing is reported', async () => {
    const directory = makeDirectory()
    writeFileSync(join(directory, 'file'), 'kept')
    const script = writeTeller(directory, 'echo x > file; chmod 600 file')
    const outer = await openTestShell({ mode: 'read', cwd: directory })
    const { stdout, stderr, denials } = await outer.execute({ argv: [process.execPath, script] })
    const told = toldBy(stdout || `{"stderr":${JSON.stringify(stderr)}}`)
    expect(told.enforcement['denial reports']).toEqual({
      enforced: false,
      by: 'none',
      note: 'this process already runs under a seccomp listener; refusals show only in the output of the command',
    })
    expect(told.result).toMatchObject({ denials: [], failure: { kind: 'permission-denied' } })
    // The filter of the outer one sees them first.
    expect(shorts({ denials })).toContain(`write ${directory}/file`)
  })

  it('without a listener everything is refused all the same', async () => {
    const { EBUSY } = constants.errno
    const host = probing({ listener: false, listenerErrno: EBUSY, listenerProves: false })
    const shell = await openTestShell({ mode: 'read', host })
    const result = await shell.execute({ command: 'touch new; mkdir new; ls' })
    expect(result).toMatchObject({ denials: [], stdout: 'config.toml\n' })
    expect(shell.enforcement['denial reports']?.enforced).toBe(false)
  })
})
