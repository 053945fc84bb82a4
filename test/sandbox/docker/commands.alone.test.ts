import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { missingEngine, openDockerShell, startEngine, type TestEngine } from './engine.ts'

const missing = missingEngine()
const skipped = missing === null ? '' : ` (skipped: ${missing})`

/** Writes random bytes, and resolves to their digest. */
function randomFile(path: string, size: number): string {
  const bytes = randomBytes(size)
  writeFileSync(path, bytes)
  return createHash('sha256').update(bytes).digest('hex')
}

describe.skipIf(missing !== null)(`commands in a container${skipped}`, () => {
  let engine: TestEngine
  beforeAll(async () => {
    engine = await startEngine()
  })

  it('exit code, both streams, directory', async () => {
    const shell = await openDockerShell(engine)
    mkdirSync(join(shell.cwd, 'sub'))
    const result = await shell.execute({ command: 'echo out; echo err >&2; pwd; exit 3', cwd: 'sub' })
    expect(result).toMatchObject({ exitCode: 3, stdout: `out\n${shell.cwd}/sub\n`, stderr: 'err\n' })
    expect(result).toMatchObject({ backend: 'docker', mode: 'read', outcome: { kind: 'exited', code: 3 } })
  })

  it('an argument vector runs without a shell', async () => {
    const shell = await openDockerShell(engine)
    const { stdout } = await shell.execute({ argv: ['printf', '%s|', '$(id)', 'a b', ';', ''] })
    expect(stdout).toBe('$(id)|a b|;||')
  })

  it('one pipe for both streams keeps their order', async () => {
    const shell = await openDockerShell(engine)
    const command = 'for i in 1 2 3 4 5 6 7 8 9; do echo o$i; echo e$i >&2; done'
    const { stdout, stderr } = await shell.execute({ command, merged: true })
    expect(stdout).toBe([1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => `o${n}\ne${n}\n`).join(''))
    expect(stderr).toBe('')
  })

  it.each([
    [['nosuch'], 'nosuch: not found.'],
    [['./nosuch'], './nosuch: not found.'],
    [['/etc'], '/etc: not executable.'],
    [['./file'], './file: not executable.'],
  ])('%j never runs', async (argv, said) => {
    const shell = await openDockerShell(engine)
    writeFileSync(join(shell.cwd, 'file'), 'text', { mode: 0o644 })
    const pieces: Buffer[] = []
    const running = shell.execute({ argv }, { onOutput: (_, chunk) => void pieces.push(chunk) })
    await expect(running).rejects.toMatchObject({ code: 'SPAWN_FAILED', message: said })
    expect(pieces).toEqual([])
  })

  it.each([
    ['exit 126', 126],
    ['exit 127', 127],
    ['exit 124', 124],
    ['echo "OCI runtime exec failed: not really"; exit 126', 126],
  ])("a command's own code is its own: %s", async (command, code) => {
    const shell = await openDockerShell(engine)
    expect(await shell.execute({ command })).toMatchObject({ exitCode: code, timedOut: false })
  })

  it('what a command says like the engine is still its output', async () => {
    const shell = await openDockerShell(engine)
    const said = 'OCI runtime exec failed: not really\n'
    expect((await shell.execute({ argv: ['printf', said] })).stdout).toBe(said)
  })

  it('all of what it says like the engine, in its order and its stream', async () => {
    const shell = await openDockerShell(engine)
    const say = (what: string) => `echo "OCI runtime exec failed: ${what}"`
    const command = `${say('one')} >&2; sleep 0.3; ${say('two')}; sleep 0.3; echo three >&2`
    const pieces: string[] = []
    const result = await shell.execute({ command }, { onOutput: (_, chunk) => void pieces.push(`${chunk}`) })
    expect(result.stderr).toBe('OCI runtime exec failed: one\nthree\n')
    expect(result.stdout).toBe('OCI runtime exec failed: two\n')
    expect(pieces.join('')).toMatch(/one\n.*two\nthree\n$/)
  })

  it('a signal that ends it is told', async () => {
    const shell = await openDockerShell(engine)
    const result = await shell.execute({ command: 'kill -SEGV $$' })
    expect(result).toMatchObject({ signal: 'SIGSEGV', outcome: { kind: 'signalled', signal: 'SIGSEGV' } })
  })

  it('reads what it is given, to its end', async () => {
    const shell = await openDockerShell(engine)
    const bytes = Buffer.alloc(3_000_000, 'abcdefg')
    expect((await shell.execute({ command: 'wc -c', stdin: bytes })).stdout.trim()).toBe('3000000')
    expect((await shell.execute({ command: 'cat' })).stdout).toBe('')
    const file = join(shell.cwd, 'input')
    writeFileSync(file, 'from a descriptor')
    expect((await shell.execute({ command: 'cat', stdin: openSync(file, 'r') })).stdout).toBe(
      'from a descriptor',
    )
    expect((await shell.execute({ command: 'head -c 1', stdin: bytes })).stdout).toBe('a')
  })

  it('50 MB come back byte for byte, in bounded memory', async () => {
    const shell = await openDockerShell(engine, { toml: 'memory = "64m"\n' })
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

  // The engine waits two seconds for the output of a process that has ended, and drops the rest then.
  it.each([2_300_000, 2_400_000, 2_500_000])('a slow listener loses nothing of %i bytes', async (size) => {
    const shell = await openDockerShell(engine)
    let slow: Promise<void> | undefined
    let got = 0
    const result = await shell.execute(
      { command: `head -c ${size} /dev/zero` },
      {
        save: false,
        onOutput: (_, chunk) => {
          got += chunk.length
          slow ??= new Promise((resolve) => setTimeout(resolve, 4000))
          return slow
        },
      },
    )
    expect({ got, bytes: result.bytes }).toEqual({ got: size, bytes: size })
  })

  it('commands at the same time do not disturb one another', async () => {
    const shell = await openDockerShell(engine)
    const results = await Promise.all(
      [1, 2, 3].map((n) => shell.execute({ command: `sleep 1; echo ${n}; sleep 60 & exit ${n}` })),
    )
    expect(results.map(({ exitCode, stdout }) => [exitCode, stdout])).toEqual([
      [1, '1\n'],
      [2, '2\n'],
      [3, '3\n'],
    ])
  })

  it('a directory outside of the workspace is refused', async () => {
    const shell = await openDockerShell(engine)
    await expect(shell.execute({ command: 'true', cwd: '/usr' })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      refusal: { problem: { kind: 'cwd-outside', path: '/usr', workspace: shell.cwd } },
    })
  })

  it('a terminal is refused', async () => {
    const shell = await openDockerShell(engine)
    await expect(shell.start({ command: 'true', pty: true })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      refusal: { problem: { kind: 'no-terminal', backend: 'docker' } },
    })
  })

  it('the audit log names the backend', async () => {
    const shell = await openDockerShell(engine, { toml: '[audit]\npath = "audit.log"\n' })
    await shell.execute({ command: 'exit 4' })
    const line = JSON.parse(readFileSync(shell.config.audit.path, 'utf8').trim())
    expect(line).toMatchObject({ backend: 'docker', mode: 'read', exitCode: 4, command: 'exit 4' })
  })

  it('the policy decides as it does here', async () => {
    const shell = await openDockerShell(engine, { toml: '[policy]\ndeny = ["forbidden"]\n', mode: 'write' })
    await expect(shell.execute({ command: 'forbidden x' })).rejects.toMatchObject({ code: 'DENIED' })
  })
})
