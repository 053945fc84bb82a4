import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { AuditLog, takeByFlock } from '../../src/audit/log.ts'
import { lostLine } from '../../src/messages/audit.ts'
import { makeDirectory } from '../helpers/place.ts'
import { realAddon } from '../sandbox/hosts.ts'
import { openAudited } from './place.ts'

const pathIn = (directory: string) => join(directory, 'log')

function logIn(directory: string, maxBytes: number): AuditLog {
  return new AuditLog({ path: pathIn(directory), maxBytes, takeLock: takeByFlock(realAddon().lock) })
}

const logs = (directory: string) => readdirSync(directory).filter((name) => name !== 'log.lock')

it('a file is not taken over its size: the line goes to a new one, and the old one is .1', async () => {
  const directory = makeDirectory()
  const log = logIn(directory, 25)
  for (const line of ['"line one"\n', '"line two"\n', '"line three"\n']) await log.append(line)
  expect(readFileSync(`${pathIn(directory)}.1`, 'utf8')).toBe('"line one"\n"line two"\n')
  expect(readFileSync(pathIn(directory), 'utf8')).toBe('"line three"\n')
  expect(statSync(pathIn(directory)).mode & 0o777).toBe(0o600)
})

it('ten files are kept, in order; the oldest goes', async () => {
  const directory = makeDirectory()
  const log = logIn(directory, 1)
  for (let at = 1; at <= 14; at++) await log.append(`${at}\n`)
  const kept = ['log', ...Array.from({ length: 9 }, (_, at) => `log.${at + 1}`)]
  expect(logs(directory).sort()).toEqual([...kept].sort())
  const read = kept.map((name) => readFileSync(join(directory, name), 'utf8').trim())
  expect(read).toEqual(['14', '13', '12', '11', '10', '9', '8', '7', '6', '5'])
})

it('a line that is longer than a file may be gets one of its own, whole', async () => {
  const directory = makeDirectory()
  const log = logIn(directory, 100)
  const long = `"${'x'.repeat(200_000)}"\n`
  for (const line of ['"a"\n', long, '"b"\n']) await log.append(line)
  expect(readFileSync(`${pathIn(directory)}.1`, 'utf8')).toBe(long)
  expect(readFileSync(pathIn(directory), 'utf8')).toBe('"b"\n')
})

it('after a line that a crash cut off the next one begins on its own', async () => {
  const directory = makeDirectory()
  const log = logIn(directory, 0)
  writeFileSync(pathIn(directory), '"whole"\n{"cut":"of')
  await log.append('"next"\n')
  expect(readFileSync(pathIn(directory), 'utf8')).toBe('"whole"\n{"cut":"of\n"next"\n')
})

it('where a file cannot be moved away, that is told, and nothing is written over', async () => {
  const directory = makeDirectory()
  const log = logIn(directory, 5)
  await log.append('"one"\n')
  writeFileSync(`${pathIn(directory)}.8`, '"old"\n')
  mkdirSync(`${pathIn(directory)}.9`)
  await expect(log.append('"two"\n')).rejects.toMatchObject({ refusal: { step: 'rotate' } })
  expect(readFileSync(pathIn(directory), 'utf8')).toBe('"one"\n')
})

/** A shell whose log is a link to a file elsewhere. */
async function openLinked(audit: string) {
  const { shell, log } = await openAudited({ mode: 'write', audit })
  await shell.execute({ command: ': first' })
  const target = join(makeDirectory(), 'target')
  writeFileSync(target, 'kept\n')
  mkdirSync(dirname(log), { recursive: true })
  renameSync(log, `${log}.kept`)
  symlinkSync(target, log)
  return { shell, log, target: () => readFileSync(target, 'utf8') }
}

it('a log that has become a link is not followed: where it is required, nothing runs', async () => {
  const { shell, log, target } = await openLinked('required = true')
  await expect(shell.execute({ command: ': second' })).rejects.toMatchObject({
    code: 'AUDIT_FAILED',
    refusal: { path: log, step: 'open', reason: 'ELOOP' },
  })
  expect(target()).toBe('kept\n')
})

it('and where it is not required, that is told', async () => {
  const { shell, log, target } = await openLinked('')
  const { exitCode, hint } = await shell.execute({ command: ': second' })
  expect({ exitCode, hint }).toEqual({
    exitCode: 0,
    hint: lostLine({ path: log, step: 'open', reason: 'ELOOP' }),
  })
  expect(target()).toBe('kept\n')
})
