import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runTool } from '../../src/adapters/tool.ts'
import type { Mode } from '../../src/base/types.ts'
import { findAnywhere } from '../../src/scratchpad/list.ts'
import { scratchpadRoots } from '../../src/scratchpad/session.ts'
import { program } from '../cli/vitrine.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'
import { repository } from '../helpers/programs.ts'

const modes: readonly Mode[] = ['read', 'write']
const script = (name: string) => join(repository, 'test/fixtures/host', name)

/** A mount namespace with a small file system in it: root can make one, and so can a user who may create a user namespace. */
function namespaceFlags(): string[] | undefined {
  const directory = makeDirectory()
  const tries = [['-m'], ['-rm']]
  return tries.find((flags) => {
    const mount = ['unshare', ...flags, 'mount', '-t', 'tmpfs', '-o', 'size=64k', 'none', directory]
    return spawnSync(mount[0] ?? '', mount.slice(1), { stdio: 'ignore' }).status === 0
  })
}

function onSmallDisk(flags: readonly string[], size: string, args: readonly string[]) {
  const state = makeDirectory()
  const line = 'mount -t tmpfs -o "size=$1" none "$2" && shift && exec "$NODE" "$SCRIPT" "$@"'
  const env = { ...process.env, NODE: process.execPath, SCRIPT: script('full-disk.mjs') }
  const argv = [...flags, 'sh', '-c', line, 'sh', size, state, ...args]
  return JSON.parse(execFileSync('unshare', argv, { env, encoding: 'utf8' }))
}

const flags = namespaceFlags()
const reason = 'neither root nor a user namespace to mount a small file system in'

describe('a full disk loses no byte', () => {
  it.for([
    ['in the middle of spilling', 'read', '256k', '700000'],
    ['in the middle of spilling, write mode', 'write', '256k', '700000'],
    ['on a page border', 'read', '400k', '700000'],
    ['with hardly any room', 'read', '8k', '300000'],
  ] as const)('%s', ([, mode, size, lines], { skip }) => {
    if (!flags) return skip(reason)
    const found = onSmallDisk(flags, size, [mode, lines])
    // `openAi`: the adapter's answer has what could not be saved.
    const whole = { accounted: true, exact: true, openAi: true }
    expect(found).toMatchObject({ outputLimited: true, reason: 'ENOSPC', ...whole })
    expect(found.hint).toContain('ENOSPC')
    expect(found.unsaved).toBe(found.stated)
    expect(found.unsaved).toBeGreaterThan(0)
    // Killed at once, not after everything went to memory.
    expect(found.bytes).toBeLessThan(4_000_000)
  })
})

describe('a full disk at the command line', () => {
  const state = makeDirectory()

  /** No byte can be saved. */
  function onFullDisk(args: string): { readonly stdout: string; readonly stderr: string } {
    const line = `mount -t tmpfs -o size=64k none "$1" && { head -c 64k /dev/zero > "$1/fill"; "$2" "$3" ${args}; }`
    const argv = [...(flags ?? []), 'sh', '-c', line, 'sh', state, process.execPath, program]
    // Sessions in the machine's temporary directory are listed as well.
    const env = { ...process.env, XDG_STATE_HOME: state, XDG_CONFIG_HOME: state, TMPDIR: makeDirectory() }
    return spawnSync('unshare', argv, { env, encoding: 'utf8' })
  }

  it('--json has in output what the file lacks', ({ skip }) => {
    if (!flags) return skip(reason)
    const { output, hint, bytes } = JSON.parse(onFullDisk(`run --json -- 'seq 100000'`).stdout)
    const all = Array.from({ length: 100_000 }, (_, at) => `${at + 1}\n`).join('')
    // The command may have been ended before it wrote everything.
    expect(output.replace(/^[\s\S]*they follow whole\]\n/, '')).toBe(all.slice(0, bytes))
    expect(hint).toContain('ENOSPC')
  })
})

describe.each(modes)('%s mode: a state directory that cannot be made', (mode) => {
  // Not a permission that is missing: root has them all.
  const noDirectory = () => {
    const file = join(makeDirectory(), 'file')
    writeFileSync(file, '')
    return join(file, 'x')
  }

  it('is replaced by one in the temporary directory, for the user alone', async () => {
    const temporary = makeDirectory()
    const shell = await openTestShell({ mode, env: { XDG_STATE_HOME: noDirectory(), TMPDIR: temporary } })
    const named = await shell.execute({ command: 'echo hi', scratchpad: 'name' })
    const large = await shell.execute({ command: 'seq 200000' })
    expect(large).toMatchObject({ exitCode: 0, outputLimited: false, truncated: true, bytes: 1_288_895 })
    expect(readFileSync(named.scratchpad?.path ?? '', 'utf8')).toBe('hi\n')
    expect(statSync(large.scratchpad?.path ?? '').size).toBe(large.bytes)
    const place = join(temporary, `vitrine-scratchpad-${process.getuid?.()}`)
    expect(large.scratchpad?.path.startsWith(`${place}/`)).toBe(true)
    expect(statSync(place).mode & 0o777).toBe(0o700)
    expect(shell.scratchpad.entries().map(({ name }) => name)).toEqual(['name', 'output-1'])
    expect(
      findAnywhere(scratchpadRoots({ XDG_STATE_HOME: noDirectory(), TMPDIR: temporary }), 'name')?.path,
    ).toBe(named.scratchpad?.path)
  })

  it('is not replaced by a directory that another user could have made', async () => {
    const temporary = makeDirectory()
    const planted = join(temporary, `vitrine-scratchpad-${process.getuid?.()}`)
    mkdirSync(planted)
    chmodSync(planted, 0o777)
    const env = { XDG_STATE_HOME: noDirectory(), TMPDIR: temporary }
    const shell = await openTestShell({ mode, env })
    await expect(shell.execute({ command: 'echo hi', scratchpad: 'name' })).rejects.toMatchObject({
      refusal: { problem: { kind: 'unsavable', reason: expect.stringContaining(planted) } },
    })
    expect(scratchpadRoots(env)).not.toContain(planted)
  })

  it('where no temporary one can be made either, cuts the output and says why', async () => {
    const [state, temporary] = [noDirectory(), noDirectory()]
    const shell = await openTestShell({ mode, env: { XDG_STATE_HOME: state, TMPDIR: temporary } })
    const large = await shell.execute({ command: 'seq 200000' })
    expect(large).toMatchObject({ exitCode: 0, outputLimited: false, truncated: true, bytes: 1_288_895 })
    expect(large).not.toHaveProperty('scratchpad')
    expect(large.output.length).toBeLessThan(31_000)
    for (const told of [large.output, large.hint])
      expect(told).toMatch(new RegExp(`${state}.*ENOTDIR.*${temporary}.*ENOTDIR`))
    const { text } = await runTool(shell, { command: 'seq 200000' })
    expect(text.length).toBeLessThan(32_000)
  })
})
