import { PassThrough, type Readable } from 'node:stream'
import { describe, expect, it, vi } from 'vitest'

describe('two copies of the library in one process, as Jest makes them', () => {
  it('a command of the first copy ends although the second one has started commands since', async () => {
    const first = await (await import('../../src/shell.ts')).openShell({ mode: 'read' })
    const slow = first.execute({
      command: 'read line; echo "$line"; head -c 3000000 /dev/zero',
      stdin: later(),
    })
    vi.resetModules()
    const second = await (await import('../../src/shell.ts')).openShell({ mode: 'read' })
    expect((await second.execute({ command: 'echo second' })).stdout).toBe('second\n')
    release?.()
    expect(await slow).toMatchObject({ exitCode: 0, bytes: 3_000_006 })
    await Promise.all([first.close(), second.close()])
  })
})

let release: (() => void) | undefined

/** A stream that ends its line when it is told to. */
function later(): Readable {
  const stream = new PassThrough()
  release = () => stream.end('first\n')
  return stream
}
