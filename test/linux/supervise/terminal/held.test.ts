import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Shell } from '../../../../src/index.ts'
import { makeDirectory, openTestShell } from '../../../helpers/place.ts'
import { aliveWith, endAll, makeMarker, survivors, waitFor } from '../../../helpers/processes.ts'
import { isInstalled, repository } from '../../../helpers/programs.ts'
import { probing, realAddon } from '../../../sandbox/hosts.ts'
import { startSession } from './session.ts'

/** The Landlock ABIs that this kernel can be held to: from 5 on device ioctls are Landlock's too. */
const abis = [1, 4, 5, 6, 7].filter((abi) => abi <= realAddon().probe().landlockAbi)

describe.each(abis)('read mode in a terminal at Landlock ABI %d', (abi) => {
  let directory: string
  let shell: Shell

  beforeAll(async () => {
    directory = makeDirectory()
    writeFileSync(join(directory, 'a.txt'), 'content\n')
    shell = await openTestShell({ host: probing({ landlockAbi: abi }), mode: 'read', cwd: directory })
  })

  it('its own terminal can be changed, by every name', async () => {
    const command = 'stty -echo && stty -icanon < /dev/tty && stty rows 7 < "$(tty)" && stty size'
    const { output, denials } = await (await startSession(shell, { command })).result
    expect([output, denials]).toEqual(['7 80\r\n', []])
  })

  it('files cannot', async () => {
    const session = await startSession(shell, {
      command: 'echo x >> a.txt; chmod 777 a.txt; rm -f a.txt; mkdir b',
    })
    const { denials } = await session.result
    expect(readFileSync(join(directory, 'a.txt'), 'utf8')).toBe('content\n')
    expect(statSync(join(directory, 'a.txt')).mode & 0o777).not.toBe(0o777)
    expect(denials.length).toBeGreaterThanOrEqual(3)
  })

  it("a command without a terminal changes none, though it has read one's settings", async () => {
    const session = await startSession(shell, { argv: ['sleep', '20'] })
    const other = await shell.execute({ command: 'stty -echo < /dev/tty' })
    expect(other.exitCode).not.toBe(0)
    session.kill()
    await session.result
  })
})

describe('what a command in a terminal is given', () => {
  it("one policy for each terminal: the next command has not the last one's", async () => {
    const shell = await openTestShell({ mode: 'read' })
    const first = await startSession(shell, { command: 'tty; exec sleep 20' })
    const [own = ''] = /\/dev\/pts\/\d+/.exec(await first.shows('\r\n')) ?? []
    const second = await startSession(shell, {
      command: `tty; echo stolen > ${own}; stty -echo < ${own}; cat ${own}`,
    })
    const { output, denials } = await second.result
    expect(output).not.toContain(`${own}\r\n/`)
    expect(denials).toMatchObject([{ operation: 'device', path: own }])
    const third = await shell.execute({ command: `echo stolen > ${own}` })
    expect(third.exitCode).not.toBe(0)
    expect(first.text()).toBe(`${own}\r\n`)
    first.kill()
    await first.result
  })

  it.skipIf(!isInstalled('python3'))(
    'with the network on, its terminal and the network, and no more',
    async () => {
      const shell = await openTestShell({ mode: 'read', network: true })
      const python = [
        'import socket, termios, fcntl, struct',
        'fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 9, 9, 0, 0))',
        'socket.socket(socket.AF_INET, socket.SOCK_STREAM).close()',
        'fcntl.ioctl(socket.socket(socket.AF_INET, socket.SOCK_DGRAM), 0x8912, bytearray(16))',
        'try: fcntl.ioctl(0, termios.TIOCSTI, b"x")',
        'except OSError as error: print(error.errno)',
      ]
      const session = await startSession(shell, { argv: ['python3', '-c', python.join('\n')] })
      const { output, denials } = await session.result
      expect(output).toBe('25\r\n')
      expect(denials).toMatchObject([{ operation: 'device', syscall: 'ioctl' }])
    },
  )

  it('the command of a private directory can use both', async () => {
    const shell = await openTestShell({ mode: 'read', privateTmp: true })
    const session = await startSession(shell, {
      command: 'echo kept > "$TMPDIR/x"; cat "$TMPDIR/x" > "$(tty)"',
    })
    const { output, denials } = await session.result
    expect([output, denials]).toEqual(['kept\r\n', []])
  })
})

describe.each(['read', 'write'])('when the host of a terminal dies, in %s mode', (mode) => {
  it.each(['SIGKILL', 'SIGTERM'] as const)('by %s, everything on it is gone', async (signal) => {
    const marker = makeMarker()
    const home = makeDirectory()
    const script = join(repository, 'test/fixtures/host/terminals.mjs')
    // Deaf to the hang-up, in the foreground and behind it; job control gives each a group of its own.
    const line = `set -m; trap '' HUP TERM; sleep ${marker} & sleep ${marker}`
    const host = spawn(process.execPath, [script, mode, '3', `sh -c "${line}"`], {
      stdio: 'ignore',
      env: { ...process.env, XDG_STATE_HOME: home, XDG_CONFIG_HOME: home },
    })
    const sleeping = () => aliveWith(marker).filter((pid) => pid !== host.pid)
    try {
      // Three times: the line's own shell and the one that it starts, and both that sleep.
      expect(await waitFor(() => sleeping().length >= 9)).toBe(true)
      host.kill(signal)
      await once(host, 'exit')
      expect(await survivors(marker)).toEqual([])
    } finally {
      host.kill('SIGKILL')
      await endAll(marker)
    }
  })
})
