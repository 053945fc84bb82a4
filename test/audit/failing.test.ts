import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { lostLine } from '../../src/messages/audit.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'
import { repository } from '../helpers/programs.ts'
import { addonless } from '../sandbox/hosts.ts'
import { commandsOf, openAudited } from './place.ts'

/** Puts a directory where the log was, so that it cannot be written; returns what takes it away. */
function block(log: string): () => void {
  renameSync(log, `${log}.kept`)
  mkdirSync(log)
  return () => {
    rmSync(log, { recursive: true })
    renameSync(`${log}.kept`, log)
  }
}

const isDirectory = (path: string) => ({ path, step: 'open', reason: 'EISDIR' }) as const

describe('required', () => {
  it('nothing runs while the log takes no line, and it is said why; then it goes on', async () => {
    const { shell, log, lines } = await openAudited({ mode: 'write', audit: 'required = true' })
    await shell.execute({ command: ': first' })
    const unblock = block(log)
    const refused = shell.execute({ command: 'touch witness' })
    await expect(refused).rejects.toMatchObject({
      code: 'AUDIT_FAILED',
      refusal: { path: log, step: 'open', reason: 'EISDIR' },
    })
    expect(existsSync(join(shell.cwd, 'witness'))).toBe(false)
    unblock()
    await shell.execute({ command: 'touch witness' })
    expect(lines().map(({ command }) => command)).toEqual([': first', 'touch witness'])
  })

  it('a line that fails after its command is told in the result, and written before the next one', async () => {
    const { shell, log, lines } = await openAudited({ mode: 'write', audit: 'required = true' })
    await shell.execute({ command: ': first' })
    // In a script: the policy does not let a line touch the log.
    writeFileSync(join(shell.cwd, 'break'), `mv '${log}' '${log}.kept'; mkdir '${log}'`)
    const result = await shell.execute({ command: 'sh break' })
    expect(result).toMatchObject({ exitCode: 0, hint: lostLine(isDirectory(log)) })
    await expect(shell.execute({ command: ': second' })).rejects.toMatchObject({ code: 'AUDIT_FAILED' })
    rmSync(log, { recursive: true })
    renameSync(`${log}.kept`, log)
    await shell.execute({ command: ': third' })
    expect(lines().map(({ command }) => command)).toEqual([': first', 'sh break', ': third'])
  })
})

describe('not required', () => {
  it('the command runs, and its result says that its line is missing', async () => {
    const { shell, log } = await openAudited()
    await shell.execute({ command: ': first' })
    block(log)
    const result = await shell.execute({ command: 'echo hi' })
    expect(result).toMatchObject({ stdout: 'hi\n', exitCode: 0 })
    expect(result.hint).toBe(lostLine(isDirectory(log)))
  })
})

describe('where it cannot be', () => {
  const wrong: readonly (readonly [string, (log: string) => void])[] = [
    ['a directory', (log) => mkdirSync(log)],
    ['a symbolic link', (log) => symlinkSync('/dev/null', log)],
    ['a FIFO', (log) => void execFileSync('mkfifo', [log])],
  ]

  it.for(wrong)('%s is refused when the shell opens, by file and key', async ([, make]) => {
    const log = join(makeDirectory(), 'log')
    make(log)
    const opened = openTestShell({ toml: `[audit]\npath = "${log}"\n` })
    await expect(opened).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      refusal: { key: 'audit.path', problem: { kind: 'bad-value', got: log } },
    })
  })

  it.for(wrong)('%s that comes later is refused by the command', async ([, make]) => {
    const { shell, log } = await openAudited({ audit: 'required = true' })
    await shell.execute({ command: 'true' })
    rmSync(log)
    make(log)
    await expect(shell.execute({ command: 'true' })).rejects.toMatchObject({
      code: 'AUDIT_FAILED',
      refusal: { step: 'open' },
    })
  })

  it('a lock that is no file is refused, and is not waited for', async () => {
    const { shell, log } = await openAudited({ audit: 'required = true' })
    mkdirSync(dirname(log))
    execFileSync('mkfifo', [`${log}.lock`])
    await expect(shell.execute({ command: 'true' })).rejects.toMatchObject({ refusal: { step: 'lock' } })
  })

  it('a path where commands get their private directories is refused', async () => {
    const uid = process.getuid?.()
    const log = `${tmpdir()}/vitrine-${uid}/log`
    const opened = openTestShell({ toml: `[audit]\npath = "${log}"\n` })
    await expect(opened).rejects.toMatchObject({ code: 'CONFIG_INVALID', refusal: { key: 'audit.path' } })
  })

  it('without an addon there is no lock: that is said, and nothing is opened', async () => {
    const opened = openTestShell({ host: addonless(), mode: 'write', toml: '[audit]\npath = "/tmp/never"\n' })
    await expect(opened).rejects.toMatchObject({ code: 'AUDIT_FAILED', refusal: { reason: 'no-locks' } })
  })
})

describe('on a file system that takes nothing', () => {
  const flags = [['-m'], ['-rm']].find((tried) => {
    const argv = [...tried, 'mount', '-t', 'tmpfs', '-o', 'size=64k', 'none', makeDirectory()]
    return spawnSync('unshare', argv, { stdio: 'ignore' }).status === 0
  })
  const reason = 'neither root nor a user namespace to mount a small file system in'
  const script = join(repository, 'test/fixtures/audit/full-disk.mjs')

  function onSmallDisk(required: boolean) {
    const disk = makeDirectory()
    const line = 'mount -t tmpfs -o size=512k none "$1" && exec "$NODE" "$SCRIPT" "$@"'
    const env = { ...process.env, NODE: process.execPath, SCRIPT: script, XDG_CONFIG_HOME: disk }
    const argv = [...(flags ?? []), 'sh', '-c', line, 'sh', disk, String(required)]
    const told = JSON.parse(execFileSync('unshare', argv, { env, encoding: 'utf8' }))
    const lost = lostLine({ path: `${disk}/audit.jsonl`, step: 'write', reason: 'ENOSPC' })
    return { ...told, lost } as { said: string[]; words: string[]; whole: boolean; lost: string }
  }

  it('required: nothing runs on a full disk, and no part of a line stays', ({ skip }) => {
    if (!flags) return skip(reason)
    const { said, words, whole, lost } = onSmallDisk(true)
    expect(said).toEqual(['ran', lost, 'AUDIT_FAILED', 'ran', 'AUDIT_FAILED'])
    expect({ words, whole }).toEqual({ words: ['first', 'second', 'fourth'], whole: true })
  })

  it('not required: what could not be written is told, and no part of it stays', ({ skip }) => {
    if (!flags) return skip(reason)
    const { said, words, whole, lost } = onSmallDisk(false)
    expect(said[1]).toBe(lost)
    expect(words).not.toContain('second')
    expect({ words: words.slice(0, 1), whole }).toEqual({ words: ['first'], whole: true })
  })
})

it('what read mode runs cannot change the log', async () => {
  const { shell, log } = await openAudited()
  await shell.execute({ command: ': first' })
  const attacks = [
    `: > '${log}'`,
    `rm -f '${log}'`,
    `mv '${log}' x`,
    `chmod 0 '${log}' '${log}.lock'`,
    `rm -f '${log}.lock'`,
  ]
  writeFileSync(join(shell.cwd, 'attack'), attacks.join('\n'))
  await shell.execute({ command: 'sh attack' })
  expect(commandsOf(log).map(({ outcome }) => outcome)).toEqual(['exited', 'exited'])
})
