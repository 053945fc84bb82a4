import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { AuditLog, takeByFlock } from '../../src/audit/log.ts'
import { tried } from '../../src/base/errno.ts'
import { ended, wrote } from '../cli/vitrine.ts'
import { makeDirectory } from '../helpers/place.ts'
import { repository } from '../helpers/programs.ts'
import { realAddon } from '../sandbox/hosts.ts'
import { commandsOf, filesOf, openAudited } from './place.ts'

const fixture = (name: string) => join(repository, 'test/fixtures/audit', name)

function configured(settings: string): { readonly config: string; readonly log: string } {
  const directory = makeDirectory()
  const config = join(directory, 'config.toml')
  const log = join(directory, 'audit.jsonl')
  writeFileSync(config, `[audit]\npath = "${log}"\n${settings}\n`)
  return { config, log }
}

function start(script: string, ...args: string[]): ChildProcess {
  const env = { ...process.env, XDG_STATE_HOME: '/dev/null/home', XDG_CONFIG_HOME: '/dev/null/home' }
  const child = spawn(process.execPath, [fixture(script), ...args], { env, cwd: '/' })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

/** The commands of those writers in all files of a log, and what they are if none is lost. */
function written(log: string, names: readonly string[], count: number) {
  const commands = filesOf(log).flatMap((file) => commandsOf(file).map(({ command }) => command ?? ''))
  const found = commands.filter((command) => names.includes(command.split(' ')[1] ?? ''))
  const all = names.flatMap((name) => Array.from({ length: count }, (_, at) => `: ${name} ${at}`))
  return { found: found.sort(), all: all.sort() }
}

describe('many at once', () => {
  it('8 processes write 50 lines each, over rotations: every line is whole, and none is lost', async () => {
    // About 400 lines of 600 bytes: some seven files.
    const { config, log } = configured('max_bytes = 40000\nrequired = true')
    const names = Array.from({ length: 8 }, (_, at) => `p${at}`)
    const ran = await Promise.all(names.map((name) => ended(start('commands.mjs', config, name, '50', '5'))))
    for (const { code, stderr } of ran) expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(filesOf(log).length).toBeGreaterThan(3)
    const { found, all } = written(log, names, 50)
    expect(found).toEqual(all)
  })

  it('killed writers cut their own last line at most, and delay no other writer', async () => {
    const { config, log } = configured('max_bytes = 100000')
    const victims = ['v0', 'v1', 'v2'].map((name) => start('commands.mjs', config, name, '5000', '8'))
    const dead = victims.map(ended)
    const survivor = ended(start('commands.mjs', config, 's', '60', '4'))
    for (const [at, victim] of victims.entries()) setTimeout(() => victim.kill('SIGKILL'), 300 + 150 * at)
    const { code, stderr } = await survivor
    for (const victim of victims) victim.kill('SIGKILL')
    await Promise.all(dead) // a read beside a write sees a part of a line
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const lines = filesOf(log).flatMap((file) => readFileSync(file, 'utf8').split('\n').filter(Boolean))
    const whole = lines.flatMap((line) => tried(() => [JSON.parse(line)]) ?? [])
    expect(lines.length - whole.length).toBeLessThanOrEqual(victims.length)
    const own = whole.flatMap(({ command }) => (command?.startsWith(': s ') ? [command] : []))
    expect(own.sort()).toEqual(Array.from({ length: 60 }, (_, at) => `: s ${at}`).sort())
  })
})

describe('the lock', () => {
  it('a holder keeps others waiting until it is killed', async () => {
    const { shell, log, lines } = await openAudited()
    await shell.execute({ command: ': first' })
    const holder = start('hold.mjs', log)
    await wrote(holder, 'held')
    let over = false
    const running = shell.execute({ command: ': second' }).finally(() => {
      over = true
    })
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(over).toBe(false)
    expect(lines()).toHaveLength(1)
    holder.kill('SIGKILL')
    expect((await running).hint).toBeUndefined()
    expect(lines().map(({ command }) => command)).toEqual([': first', ': second'])
  })

  it('a stopped holder is waited for until the time limit', async () => {
    const path = join(makeDirectory(), 'log')
    const log = new AuditLog({ path, maxBytes: 0, takeLock: takeByFlock(realAddon().lock), lockWaitMs: 100 })
    const holder = start('hold.mjs', path)
    await wrote(holder, 'held')
    holder.kill('SIGSTOP')
    await expect(log.append('{}\n')).rejects.toMatchObject({ refusal: { step: 'lock', reason: 'busy' } })
  })

  it('a command in read mode cannot take it, shared or not', async ({ skip }) => {
    if (process.getuid?.() === 0) skip('root may read what it may not: docs/security/processes.md')
    const { shell, log } = await openAudited()
    await shell.execute({ command: 'true' })
    // In a script: the policy denies a line that names the log.
    writeFileSync(join(shell.cwd, 'take'), `flock --shared --nonblock '${log}.lock' true`)
    const taken = await shell.execute({ command: 'sh take' })
    expect(taken.exitCode).not.toBe(0)
  })
})
