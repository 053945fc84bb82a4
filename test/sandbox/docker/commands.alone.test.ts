import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { describeEngine, openDockerShell } from './engine.ts'

describeEngine('commands in a container', (engine) => {
  it('exit code, both streams, directory', async () => {
    const shell = await openDockerShell(engine())
    mkdirSync(join(shell.cwd, 'sub'))
    const result = await shell.execute({ command: 'echo out; echo err >&2; pwd; exit 3', cwd: 'sub' })
    expect(result).toMatchObject({ exitCode: 3, stdout: `out\n${shell.cwd}/sub\n`, stderr: 'err\n' })
    expect(result).toMatchObject({ backend: 'docker', mode: 'read', outcome: { kind: 'exited', code: 3 } })
  })

  it.each([
    [['nosuch'], 'nosuch: not found.'],
    [['./nosuch'], './nosuch: not found.'],
    [['/etc'], '/etc: not executable.'],
    [['./file'], './file: not executable.'],
  ])('%j never runs', async (argv, said) => {
    const shell = await openDockerShell(engine())
    writeFileSync(join(shell.cwd, 'file'), 'text', { mode: 0o644 })
    const pieces: Buffer[] = []
    const running = shell.execute({ argv }, { onOutput: (_, chunk) => void pieces.push(chunk) })
    await expect(running).rejects.toMatchObject({ code: 'SPAWN_FAILED', message: said })
    expect(pieces).toEqual([])
  })

  it.each([
    ['exit 0', { exitCode: 0, signal: null }],
    ['exit 124', { exitCode: 124, timedOut: false }],
    ['exit 126', { exitCode: 126 }],
    ['exit 127', { exitCode: 127 }],
    ['kill -SEGV $$', { signal: 'SIGSEGV', outcome: { kind: 'signalled', signal: 'SIGSEGV' } }],
  ])("a command's end is its own, and what it says like the engine: %s", async (line, end) => {
    const shell = await openDockerShell(engine())
    const result = await shell.execute({ command: `echo "OCI runtime exec failed: no"; ${line}` })
    expect(result).toMatchObject({ ...end, stdout: 'OCI runtime exec failed: no\n' })
  })

  it('50 MB come back byte for byte, in bounded memory', async () => {
    const shell = await openDockerShell(engine(), { toml: 'memory = "64m"\n' })
    const bytes = randomBytes(50_000_000)
    writeFileSync(join(shell.cwd, 'bytes'), bytes)
    const before = process.memoryUsage().arrayBuffers
    let most = 0
    const onOutput = () => {
      most = Math.max(most, process.memoryUsage().arrayBuffers - before)
    }
    const request = { command: 'cat bytes', scratchpad: 'all', timeoutMs: 60_000 }
    const result = await shell.execute(request, { onOutput })
    expect(result).toMatchObject({ exitCode: 0, bytes: bytes.length })
    expect(readFileSync(result.scratchpad?.path ?? '').equals(bytes)).toBe(true)
    expect(most).toBeLessThan(bytes.length * 0.8)
  })

  it('a directory outside of the workspace is refused, and a terminal', async () => {
    const shell = await openDockerShell(engine())
    const outside = { kind: 'cwd-outside', path: '/usr', workspace: shell.cwd }
    const refused = (problem: object) => ({ code: 'INVALID_REQUEST', refusal: { problem } })
    const elsewhere = shell.execute({ command: 'true', cwd: '/usr' })
    await expect(elsewhere).rejects.toMatchObject(refused(outside))
    const terminal = shell.start({ command: 'true', pty: true })
    await expect(terminal).rejects.toMatchObject(refused({ kind: 'no-terminal', backend: 'docker' }))
  })
})
