import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { describeEngine, openDockerShell } from './engine.ts'

/** Writes random bytes, and resolves to their digest. */
function randomFile(path: string, size: number): string {
  const bytes = randomBytes(size)
  writeFileSync(path, bytes)
  return createHash('sha256').update(bytes).digest('hex')
}

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

  it.each([0, 124, 126, 127])(
    "a command's own code is its own, and what it says like the engine: %i",
    async (code) => {
      const shell = await openDockerShell(engine())
      const result = await shell.execute({ command: `echo "OCI runtime exec failed: no"; exit ${code}` })
      const stdout = 'OCI runtime exec failed: no\n'
      expect(result).toMatchObject({ exitCode: code, timedOut: false, stdout })
    },
  )

  it('a signal that ends it is told', async () => {
    const shell = await openDockerShell(engine())
    const result = await shell.execute({ command: 'kill -SEGV $$' })
    expect(result).toMatchObject({ signal: 'SIGSEGV', outcome: { kind: 'signalled', signal: 'SIGSEGV' } })
  })

  it('50 MB come back byte for byte, in bounded memory', async () => {
    const shell = await openDockerShell(engine(), { toml: 'memory = "64m"\n' })
    const size = 50_000_000
    const wanted = randomFile(join(shell.cwd, 'bytes'), size)
    const hash = createHash('sha256')
    const before = process.memoryUsage().arrayBuffers
    let most = 0
    const result = await shell.execute(
      { command: 'cat bytes', scratchpad: 'all', timeoutMs: 60_000 },
      {
        onOutput: (_, chunk) => {
          hash.update(chunk)
          most = Math.max(most, process.memoryUsage().arrayBuffers - before)
        },
      },
    )
    expect(result).toMatchObject({ exitCode: 0, bytes: size })
    expect(hash.digest('hex')).toBe(wanted)
    const saved = createHash('sha256')
      .update(readFileSync(result.scratchpad?.path ?? ''))
      .digest('hex')
    expect(saved).toBe(wanted)
    expect(most).toBeLessThan(size * 0.8)
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
