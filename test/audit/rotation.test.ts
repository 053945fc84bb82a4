import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { AuditLog, takeByFlock } from '../../src/audit/log.ts'
import { makeDirectory } from '../helpers/place.ts'
import { realAddon } from '../sandbox/hosts.ts'

/** A log in a directory of its own, with what is read of its files. */
function makeLog(maxBytes: number) {
  const path = join(makeDirectory(), 'log')
  const log = new AuditLog({ path, maxBytes, takeLock: takeByFlock(realAddon().lock) })
  const append = async (...lines: readonly string[]) => {
    for (const line of lines) await log.append(`${line}\n`)
  }
  return { path, append, text: (suffix = '') => readFileSync(`${path}${suffix}`, 'utf8') }
}

it('a file is not taken over its size: the line goes to a new one, and the old one is .1', async () => {
  const { path, append, text } = makeLog(25)
  await append('"line one"', '"line two"', '"line three"')
  expect([text('.1'), text()]).toEqual(['"line one"\n"line two"\n', '"line three"\n'])
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

it('ten files are kept, in order; the oldest goes', async () => {
  const { path, append, text } = makeLog(1)
  await append(...Array.from({ length: 14 }, (_, at) => String(at + 1)))
  const suffixes = ['', ...Array.from({ length: 9 }, (_, at) => `.${at + 1}`)]
  expect(readdirSync(dirname(path)).sort()).toEqual([...suffixes, '.lock'].map((end) => `log${end}`).sort())
  expect(suffixes.map((suffix) => Number(text(suffix)))).toEqual([14, 13, 12, 11, 10, 9, 8, 7, 6, 5])
})

it('a line that is longer than a file may be gets one of its own, whole', async () => {
  const { append, text } = makeLog(100)
  const long = `"${'x'.repeat(200_000)}"`
  await append('"a"', long, '"b"')
  expect([text('.1'), text()]).toEqual([`${long}\n`, '"b"\n'])
})

it('after a line that a crash cut off the next one begins on its own', async () => {
  const { path, append, text } = makeLog(0)
  writeFileSync(path, '"whole"\n{"cut":"of')
  await append('"next"')
  expect(text()).toBe('"whole"\n{"cut":"of\n"next"\n')
})

it('where a file cannot be moved away, that is told, and nothing is written over', async () => {
  const { path, append, text } = makeLog(5)
  await append('"one"')
  writeFileSync(`${path}.8`, '"old"\n')
  mkdirSync(`${path}.9`)
  await expect(append('"two"')).rejects.toMatchObject({ refusal: { step: 'rotate' } })
  expect(text()).toBe('"one"\n')
})
