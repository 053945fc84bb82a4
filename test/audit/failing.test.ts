import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { lostLine } from '../../src/messages/refusal.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'
import { repository } from '../helpers/programs.ts'
import { addonless } from '../sandbox/hosts.ts'
import { commandsOf, openAudited } from './place.ts'

const isDirectory = (path: string) => ({ path, step: 'open', reason: 'EISDIR' }) as const

it('required: nothing runs while the log takes no line; what was lost is written later', async () => {
  const { shell, log, lines } = await openAudited({ mode: 'write', audit: 'required = true' })
  await shell.execute({ command: ': first' })
  // In a script: the policy does not let a line touch the log.
  writeFileSync(join(shell.cwd, 'break'), `mv '${log}' '${log}.kept'; mkdir '${log}'`)
  const result = await shell.execute({ command: 'sh break' })
  expect(result).toMatchObject({ exitCode: 0, hint: lostLine(isDirectory(log)) })
  await expect(shell.execute({ command: 'touch witness' })).rejects.toMatchObject({
    code: 'AUDIT_FAILED',
    refusal: isDirectory(log),
  })
  expect(existsSync(join(shell.cwd, 'witness'))).toBe(false)
  rmSync(log, { recursive: true })
  renameSync(`${log}.kept`, log)
  await shell.execute({ command: ': third' })
  expect(lines().map(({ command }) => command)).toEqual([': first', 'sh break', ': third'])
})

describe('where it cannot be', () => {
  const target = join(makeDirectory(), 'target')
  writeFileSync(target, 'kept')
  const wrong: readonly (readonly [string, (log: string) => void])[] = [
    ['a directory', (log) => mkdirSync(log)],
    ['a symbolic link', (log) => symlinkSync(target, log)],
    ['a FIFO', (log) => void execFileSync('mkfifo', [log])],
  ]

  it.for(wrong)('%s is refused when the shell opens, by file and key', async ([, make]) => {
    const log = join(makeDirectory(), 'log')
    make(log)
    const problem = { kind: 'bad-value', got: log }
    await expect(openTestShell({ toml: `[audit]\npath = "${log}"\n` })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      refusal: { key: 'audit.path', problem },
    })
  })

  it.for(wrong)('%s that comes later is refused by the command, and not followed', async ([, make]) => {
    for (const audit of ['required = true', '']) {
      const { shell, log } = await openAudited({ audit })
      await shell.execute({ command: 'true' })
      rmSync(log)
      make(log)
      const end = shell.execute({ command: 'true' })
      if (audit === '') expect((await end).hint).toContain(`missing from the audit log ${log}`)
      else await expect(end).rejects.toMatchObject({ code: 'AUDIT_FAILED', refusal: { step: 'open' } })
      expect(readFileSync(target, 'utf8')).toBe('kept')
    }
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

  it.for([true, false])('required = %s: no part of a line stays, and it is told', (required, { skip }) => {
    if (!flags) return skip(reason)
    const { said, words, whole, lost } = onSmallDisk(required)
    expect({ lost: said[1], whole }).toEqual({ lost, whole: true })
    if (!required) return expect([words[0], words.includes('second')]).toEqual(['first', false])
    expect(said).toEqual(['ran', lost, 'AUDIT_FAILED', 'ran', 'AUDIT_FAILED'])
    expect(words).toEqual(['first', 'second', 'fourth'])
  })
})

it('what read mode runs cannot change the log', async () => {
  const { shell, log } = await openAudited()
  await shell.execute({ command: ': first' })
  const ways = [': >', 'rm -f', 'chmod 0', 'mv -t .']
  const attacks = ways.flatMap((way) => [`${way} '${log}'`, `${way} '${log}.lock'`])
  writeFileSync(join(shell.cwd, 'attack'), attacks.join('\n'))
  await shell.execute({ command: 'sh attack' })
  expect(commandsOf(log).map(({ outcome }) => outcome)).toEqual(['exited', 'exited'])
})
