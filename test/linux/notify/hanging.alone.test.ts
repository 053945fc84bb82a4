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

  /** Tries to write to each path; counts the refusals that the shell reported. */
  async function write(paths: readonly string[]) {
    const { run } = await makeGround()
    const result = await run(paths.map((path) => `echo x > ${path} || echo refused`).join('; '))
    return { result, refused: result.stdout.match(/refused/g)?.length }
  }

  it('a refused write is answered while the file system hangs, with the path as given', async () => {
    const path = join(mounted, 'hang-one')
    const { result, refused } = await write([path])
    expect(refused).toBe(1)
    expect(result.stderr).toContain('Permission denied')
    expect(shorts(result)).toEqual([`write ${path}`])
    expect(await Promise.race([looking, Promise.resolve('waits')])).toBe('waits')
  })

  it('others go on being served meanwhile, with their paths', async () => {
    const ground = await makeGround()
    const [hanging, ordinary] = await Promise.all([
      write([join(mounted, 'hang-two'), join(mounted, 'hang-three')]),
      ground.run('for i in 1 2 3 4 5; do echo x > file; done'),
    ])
    expect(await Promise.race([looking, Promise.resolve('waits')])).toBe('waits')
    expect(hanging.refused).toBe(2)
    expect(shorts(ordinary)).toEqual([`write ${ground.file} x5`])
  })

  it('more hanging calls than notifiers are refused, counted, and leave some to others', async () => {
    const paths = Array.from({ length: 12 }, (_, at) => join(mounted, `hang-more-${at}`))
    const { result, refused } = await write(paths)
    expect(refused).toBe(12)
    expect(result.denials.reduce((sum, { count }) => sum + count, 0)).toBe(12)
    const { run, file } = await makeGround()
    const ordinary = await run('echo x > /dev/null && echo open; echo x > file')
    expect(ordinary.stdout).toBe('open\n')
    expect(shorts(ordinary)).toEqual([`write ${file}`])
  })
})
