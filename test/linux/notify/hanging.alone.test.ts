import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, rmdirSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compileFixture } from '../../helpers/programs.ts'
import { makeGround, shorts } from './denied.ts'

function missing(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root can mount a file system'
  return existsSync('/dev/fuse') ? null : '/dev/fuse is not here'
}

describe.skipIf(missing() !== null)('a file system that does not answer', () => {
  let mounted: string
  let server: ChildProcess
  let looking: Promise<string>

  beforeAll(async () => {
    // The policy reads a line that names vitrine, and waits for the paths on it itself: this one it must not read.
    mounted = mkdtempSync(join(tmpdir(), 'hanging-'))
    const program = compileFixture('fuse')
    chmodSync(program, 0o755)
    server = spawn(program, [mounted], { stdio: ['pipe', 'pipe', 'inherit'] })
    if (!server.stdout) throw new Error('no output')
    const [said] = await once(server.stdout, 'data')
    expect(String(said)).toBe('ready\n')
    looking = stat(join(mounted, 'hang')).then(
      () => 'there',
      (error: NodeJS.ErrnoException) => error.code ?? '',
    )
  })

  // What still waits for it, in this process too, fails then.
  afterAll(async () => {
    server.stdin?.end()
    if (server.exitCode === null) await once(server, 'exit')
    expect(await looking).toMatch(/ENOTCONN|ECONNABORTED/)
    rmdirSync(mounted)
  })

  it('a write to it waits, as outside, and ends with its command; others go on being served', async () => {
    const hanging = await makeGround()
    const ordinary = await makeGround()
    const stop = new AbortController()
    const path = join(mounted, 'hang-one')
    const waiting = hanging.shell.execute({ command: `echo x > ${path}` }, { signal: stop.signal })
    const result = await ordinary.run(
      'for i in 1 2 3 4 5; do echo x > file; done; echo x > /dev/null && echo open',
    )
    expect(result.stdout).toBe('open\n')
    expect(shorts(result)).toEqual([`write ${ordinary.file} x5`])
    expect(await Promise.race([looking, waiting, Promise.resolve('waits')])).toBe('waits')
    stop.abort()
    expect((await waiting).outcome.kind).toBe('cancelled')
  })

  it('more commands that wait for it than are kept ready leave others served', async () => {
    const stop = new AbortController()
    const grounds = await Promise.all(Array.from({ length: 12 }, () => makeGround()))
    const waiting = grounds.map(({ shell }, at) =>
      shell.execute({ command: `echo x > ${join(mounted, `hang-more-${at}`)}` }, { signal: stop.signal }),
    )
    const { run, file } = await makeGround()
    expect(shorts(await run('echo x > file'))).toEqual([`write ${file}`])
    stop.abort()
    const ends = await Promise.all(waiting)
    expect(ends.map(({ outcome }) => outcome.kind)).toEqual(grounds.map(() => 'cancelled'))
  })
})
