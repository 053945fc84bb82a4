import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Home } from '../cli/vitrine.ts'
import { makeDirectory } from '../helpers/place.ts'
import { connect } from './connect.ts'

/** An option, a field of the library, or the user's way to write mode: none of them is a parameter of a tool. */
const forOthers = /(^|\W)--\w|\bargv\b|\bstdin\b|timeoutMs|privateTmp|shell\.mode/

describe('hints and advice for the reader of a tool’s answer', () => {
  it.for([
    ['read', 'echo x > /tmp/x'],
    ['read', 'echo x > x'],
    ['read', 'true > /dev/ptmx'],
    ['read', 'echo "x: Permission denied" >&2; exit 1'],
    ['workspace', 'echo x > ../x'],
    ['workspace', 'echo x > /opt/vitrine-x'],
    ['workspace', 'echo x > .vscode'],
    ['workspace', 'git init -q; mv .git/config x'],
    ['workspace', 'sleep 60'],
    ['workspace', ' '],
    ['workspace', 'no-such-program'],
  ])('name nothing that is no parameter of it: %s mode, %s', async ([mode = '', command = '']) => {
    const home = new Home()
    mkdirSync(join(home.directory, 'work'))
    const { run } = await connect(['--mode', mode, '--cwd', join(home.directory, 'work')], { home })
    const { text } = await run({ command, timeout_ms: 2000 })
    expect(text).toMatch(/\[.*\]$|^INVALID_REQUEST/)
    expect(text).not.toMatch(forOthers)
  })

  it('a deadline names timeout_ms', async () => {
    const { run } = await connect(['--structured'])
    const { structured } = await run({ command: 'sleep 60', timeout_ms: 200 })
    expect(structured).toMatchObject({ failure: { advice: expect.stringContaining('timeout_ms') } })
  })

  it('a path kept from being read is the user’s to open, a change the write tool’s', async () => {
    const file = join(makeDirectory(), 'file')
    writeFileSync(file, 'x')
    const { run } = await connect([], { toml: '[shell]\nreads = "workspace"\n' })
    const { text } = await run({ command: `cat ${file}` })
    expect(text).toMatch(/\[.*\[shell\] reads.*only the user.*\]$/)
    expect(text).not.toMatch(forOthers)
  })

  it.for(['./tool', 'echo "x: Read-only file system" >&2; exit 1'])(
    'nothing where the sandbox has no part: %s',
    async (command) => {
      const { run, home } = await connect([])
      writeFileSync(join(home.directory, 'tool'), '#!/bin/sh\n', { mode: 0o644 })
      const { text } = await run({ command })
      expect(text).toMatch(/\[exit code: 1(26)?\]/)
      expect(text).not.toContain('write')
    },
  )

  it('output that cannot be saved: ask for less, or the user', async () => {
    const nowhere = { XDG_STATE_HOME: '/proc/none', TMPDIR: '/proc/none' }
    const { run } = await connect([], { env: nowhere })
    const long = await run({ command: 'seq 1 100000' })
    expect(long.text).toMatch(/not saved \([^\n]*\) \.\.\.\]/)
    expect(long.text).not.toMatch(forOthers)
    const named = await run({ command: 'echo x', scratchpad: 'x' })
    expect(named).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^INVALID_REQUEST: .*"x".*XDG_STATE_HOME/),
    })
  })
})
