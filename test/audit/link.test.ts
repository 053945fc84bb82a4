import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { lostLine } from '../../src/messages/audit.ts'
import { makeDirectory } from '../helpers/place.ts'
import { openAudited } from './place.ts'

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
