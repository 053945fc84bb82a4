import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Shell } from '../../src/shell.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'
import { processEntry, waitFor } from '../helpers/processes.ts'
import { isInstalled } from '../helpers/programs.ts'
import { probing, realAddon } from './hosts.ts'

let bystander: ChildProcess

function startBystander(): () => void {
  bystander = spawn('sleep', ['3600'], { stdio: 'ignore', detached: true })
  return () => void bystander.kill('SIGKILL')
}

/** asm/unistd.h */
const tgkill = process.arch === 'arm64' ? '131' : '234'

/** Everything about a directory that a command could have changed. */
function snapshot(directory: string): unknown {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const path = join(directory, name)
      const { mode, uid, size, mtimeMs, nlink } = statSync(path)
      return {
        name,
        mode,
        uid,
        size,
        mtimeMs,
        nlink,
        text: size > 0 && name.includes('.') ? readFileSync(path, 'utf8') : '',
      }
    })
}

const python = (text: string) => `python3 -c '${text}'`

/** Each fails in read mode whatever the ABI. */
const changes: readonly { readonly what: string; readonly line: string; readonly needs?: string }[] = [
  { what: 'write', line: 'echo x >> a.txt' },
  { what: 'create', line: 'echo x > new.txt' },
  { what: 'truncate by open', line: ': > a.txt' },
  { what: 'truncate(1)', line: 'truncate -s 1 a.txt' },
  { what: 'truncate(2)', line: python('import os; os.truncate("a.txt", 1)'), needs: 'python3' },
  {
    what: 'open for reading with O_TRUNC',
    line: python('import os; os.open("a.txt", os.O_TRUNC)'),
    needs: 'python3',
  },
  { what: 'rename', line: 'mv a.txt b.txt' },
  { what: 'rename into another directory', line: 'mv a.txt sub/' },
  { what: 'link into another directory', line: 'ln a.txt sub/link' },
  { what: 'symlink', line: 'ln -s a.txt link' },
  { what: 'unlink', line: 'rm -f a.txt' },
  { what: 'mkdir', line: 'mkdir made' },
  { what: 'rmdir', line: 'rmdir empty' },
  { what: 'mkfifo', line: 'mkfifo pipe' },
  { what: 'chmod', line: 'chmod 777 a.txt' },
  { what: 'touch', line: 'touch -d 2001-01-01 a.txt' },
  {
    what: 'tcp',
    line: python('import socket; socket.create_connection(("127.0.0.1", PORT), 2)'),
    needs: 'python3',
  },
  { what: 'a unix socket', line: python('import socket; socket.socket(socket.AF_UNIX)'), needs: 'python3' },
  {
    what: 'udp',
    line: python('import socket; socket.socket(2, 2).sendto(b"x", ("127.0.0.1", PORT))'),
    needs: 'python3',
  },
]

/** Each tries to reach the process PID, which is not the command's. */
const signals: readonly { readonly what: string; readonly line: string; readonly needs?: string }[] = [
  { what: 'kill', line: 'kill -STOP PID' },
  { what: 'kill of its group', line: 'kill -STOP -- -PID' },
  { what: 'kill of the host', line: 'kill -CONT HOST' },
  {
    what: 'pidfd_send_signal',
    line: python('import os, signal; signal.pidfd_send_signal(os.pidfd_open(PID), 19)'),
    needs: 'python3',
  },
  {
    what: 'tgkill',
    line: python('import ctypes; c = ctypes.CDLL(None); exit(c.syscall(NUMBER, PID, PID, 19) == 0 or 1)'),
    needs: 'python3',
  },
  {
    what: 'rt_sigqueueinfo',
    line: python('import ctypes; c = ctypes.CDLL(None); exit(c.sigqueue(PID, 19, None) == 0 or 1)'),
    needs: 'python3',
  },
]

/** What a command may do with its own children. */
const own: readonly { readonly line: string; readonly says: string }[] = [
  { line: 'sleep 20 & kill $!; wait $!; echo $?', says: '143\n' },
  // dash's SIGCHLD handler can interrupt kill(2) with EINTR (docs/security/reports.md).
  {
    line: 'sleep 20 & kill -STOP $!; kill -CONT $!; until kill -KILL $!; do :; done 2>/dev/null; wait $!; echo $?',
    says: '137\n',
  },
  { line: 'timeout 0.1 sleep 20; echo $?', says: '124\n' },
  { line: 'setsid timeout 0.1 sleep 20; echo $?', says: '124\n' },
  { line: 'kill -0 $$; echo $?', says: '0\n' },
  { line: "sh -c 'kill -TERM $$'; echo $?", says: '143\n' },
]

/** Read mode where the kernel has that version of Landlock. */
export function describeAbi(abi: number): void {
  describe.runIf(abi <= realAddon().probe().landlockAbi)(`read mode at Landlock ABI ${abi}`, () => {
    let directory: string
    let shell: Shell
    let port: number
    const server = createServer((socket) => socket.destroy())

    beforeAll(startBystander)

    beforeAll(async () => {
      directory = makeDirectory()
      mkdirSync(join(directory, 'sub'))
      mkdirSync(join(directory, 'empty'))
      writeFileSync(join(directory, 'a.txt'), 'content\n')
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const address = server.address()
      port = typeof address === 'object' && address ? address.port : 0
      shell = await openTestShell({ host: probing({ landlockAbi: abi }), mode: 'read', cwd: directory })
    })

    afterAll(() => server.close())

    it.for(changes)('refuses: $what', async ({ line, needs }, { skip }) => {
      if (needs !== undefined && !isInstalled(needs)) return skip(`not installed: ${needs}`)
      const before = snapshot(directory)
      const result = await shell.execute({ command: line.replaceAll('PORT', String(port)) })
      expect(snapshot(directory)).toEqual(before)
      expect(result.exitCode).not.toBe(0)
      expect(result.output).toMatch(/denied|read-only|not permitted|errno/i)
    })

    it.for(signals)('refuses a signal to a process outside: $what', async ({ line, needs }, { skip }) => {
      if (needs !== undefined && !isInstalled(needs)) return skip(`not installed: ${needs}`)
      const command = line
        .replaceAll('PID', String(bystander.pid))
        .replaceAll('HOST', String(process.pid))
        .replaceAll('NUMBER', tgkill)
      const result = await shell.execute({ command })
      expect(result.exitCode).not.toBe(0)
      expect(processEntry(bystander.pid ?? 0)).toMatchObject({
        running: true,
        state: expect.stringMatching(/[RS]/),
      })
    })

    // Below ABI 6 a judged kill(2) fails with EINTR when a signal handler gets in between (docs/security/reports.md), and a shell does not
    // try again: what is held to is that it can be done, not that it never has to be repeated.
    it.for(own)('lets it end its own children: $line', { retry: 10 }, async ({ line, says }) => {
      expect((await shell.execute({ command: line })).stdout).toBe(says)
    })

    it('lets it read', async () => {
      expect(await shell.execute({ command: 'cat a.txt | tr a-z A-Z; ls' })).toMatchObject({
        exitCode: 0,
        stdout: 'CONTENT\na.txt\nempty\nsub\n',
      })
    })

    it('says what keeps the signals inside', () => {
      expect(shell.enforcement['signals']).toEqual({
        enforced: true,
        by: abi < 6 ? 'seccomp listener' : 'landlock',
      })
    })
  })
}

/** The proof that read mode is what keeps the signals inside. */
export function describeUnsandboxed(): void {
  it('unsandboxed, the same signal does reach the process outside', async () => {
    const end = startBystander()
    const shell = await openTestShell({ mode: 'write' })
    await shell.execute({ command: `kill -STOP ${bystander.pid}` })
    const isStopped = () => processEntry(bystander.pid ?? 0)?.state === 'T'
    expect(await waitFor(isStopped)).toBe(true)
    await shell.execute({ command: `kill -CONT ${bystander.pid}` })
    end()
  })
}
