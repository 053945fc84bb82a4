import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Mode, Shell } from '../../../../src/index.ts'
import { makeDirectory, openTestShell } from '../../../helpers/place.ts'
import { aliveWith, endAll, makeMarker, survivors, waitFor } from '../../../helpers/processes.ts'
import { interactiveBash, prompt, startSession } from './session.ts'

const modes: readonly Mode[] = ['read', 'write']
const digest = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex')

describe.each(modes)('in %s mode', (mode) => {
  let shell: Shell
  let marker = makeMarker()
  const start = (request: Parameters<typeof startSession>[1]) => startSession(shell, request)

  beforeAll(async () => {
    shell = await openTestShell({ mode, env: { HOME: makeDirectory() } })
  })

  afterEach(async () => {
    await endAll(marker)
    marker = makeMarker()
  })

  it('the three standard streams are one terminal, and it is the controlling one', async () => {
    const { result } = await start({
      command: 'tty; tty <&2; for fd in 0 1 2; do test -t $fd && echo $fd; done; ps -o tty= -p $$',
    })
    const { output, stderr, outcome } = await result
    const [own, other, ...rest] = output.trim().split('\r\n')
    expect(own).toMatch(/^\/dev\/pts\/\d+$/)
    expect(other).toBe(own)
    expect(rest).toEqual(['0', '1', '2', own?.slice('/dev/'.length)])
    expect([stderr, outcome]).toEqual(['', { kind: 'exited', code: 0 }])
  })

  it('size and kind are as asked for, and 80 by 24 by default', async () => {
    const asked = await start({ command: 'stty size; echo $TERM', columns: 132, rows: 43, term: 'vt100' })
    expect((await asked.result).output).toBe('43 132\r\nvt100\r\n')
    const given = await start({ argv: ['stty', 'size'] })
    expect((await given.result).output).toBe('24 80\r\n')
  })

  it('what is typed is read line by line, and Ctrl+D ends it', async () => {
    const session = await start({ argv: ['cat'] })
    await session.write('one\n')
    await session.shows('one\r\none\r\n')
    await session.write(new Uint8Array([0x04]))
    expect((await session.result).exitCode).toBe(0)
  })

  it('Ctrl+C ends what is in the foreground', async () => {
    const session = await start({ command: `echo ready; exec sleep ${marker}` })
    await session.shows('ready')
    await session.write('\x03')
    expect((await session.result).outcome).toEqual({ kind: 'signalled', signal: 'SIGINT' })
  })

  it('an interactive bash has job control: Ctrl+Z, jobs, fg, Ctrl+C', async () => {
    const session = await start({ argv: interactiveBash })
    await session.shows(prompt)
    await session.write(`sleep ${marker}\n`)
    expect(await waitFor(() => aliveWith(marker).length === 1)).toBe(true)
    await session.write('\x1a')
    await session.shows(/\[1\]\+ {2}Stopped/)
    await session.write('fg; echo "code $?"\n')
    await session.shows(/sleep [\d.]+\r\n$/)
    await session.write('\x03')
    await session.write('echo "code $?"; exit 5\n')
    await session.shows('code 130')
    expect((await session.result).exitCode).toBe(5)
    expect(session.text()).not.toMatch(/no job control|cannot set terminal/)
  })

  it('1 MB of output is whole, whether its end follows at once or it is taken slowly', async () => {
    const text = `${'x'.repeat(99)}\n`.repeat(10_000)
    const slow = async () => new Promise<void>((resolve) => setTimeout(resolve, 1))
    for (const onOutput of [undefined, slow]) {
      const command = "stty raw; yes $(printf '%099d' 0 | tr 0 x) | head -n 10000"
      const pty = await shell.start({ command, pty: true }, { onOutput })
      const { bytes, scratchpad } = await pty.result
      expect(bytes).toBe(text.length)
      expect(digest(readFileSync(scratchpad?.path ?? ''))).toBe(digest(text))
    }
  })

  it('a paste of 1 MB is lost nowhere, though it is read slowly', async () => {
    const pasted = 'p'.repeat(1_000_000)
    const session = await start({
      command: 'stty raw -echo; echo ready; sleep 0.3; head -c 1000000 | sha256sum',
    })
    await session.shows('ready')
    await session.write(pasted)
    expect((await session.result).output).toContain(digest(pasted))
  })

  it('kill() ends everything in the terminal, in the foreground and behind it', async () => {
    const session = await start({ argv: interactiveBash })
    await session.shows(prompt)
    await session.write(`sleep ${marker} & sleep ${marker}\n`)
    expect(await waitFor(() => aliveWith(marker).length === 2)).toBe(true)
    session.kill()
    expect((await session.result).outcome).toEqual({ kind: 'cancelled' })
    expect(await survivors(marker)).toEqual([])
  })

  it('a signal reaches the command, and what is in the foreground', async () => {
    const session = await start({ argv: interactiveBash })
    await session.shows(prompt)
    await session.write(`sleep ${marker}; echo "code $?"\n`)
    expect(await waitFor(() => aliveWith(marker).length === 1)).toBe(true)
    session.kill('SIGUSR1')
    const { outcome } = await session.result
    expect(outcome).toEqual({ kind: 'signalled', signal: 'SIGUSR1' })
    expect(await survivors(marker)).toEqual([])
  })

  it('when the command ends its terminal is closed, and background processes get SIGHUP', async () => {
    const hungUp = join(makeDirectory(), 'hung-up')
    const left = `trap "" HUP; sleep 0.4; env echo late || touch ${hungUp}; exec sleep ${marker}`
    const session = await start({ command: `sh -c '${left}' & echo started; sleep 0.1` })
    const { output, background } = await session.result
    expect(output).toBe('started\r\n')
    expect(background?.count).toBe(mode === 'write' ? 2 : undefined)
    if (mode === 'write') expect(await waitFor(() => existsSync(hungUp))).toBe(true)
    else expect(await survivors(marker)).toEqual([])
  })

  it('closing the shell ends it', async () => {
    const own = await openTestShell({ mode })
    const session = await startSession(own, { command: `echo ready; exec sleep ${marker}` })
    await session.shows('ready')
    await own.close()
    expect((await session.result).outcome).toEqual({ kind: 'cancelled' })
    expect(await survivors(marker)).toEqual([])
  })
})
