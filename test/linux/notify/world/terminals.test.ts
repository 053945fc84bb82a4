import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { users } from '../../../attacks/table.ts'
import { makeDirectory } from '../../../helpers/place.ts'
import { runAs } from '../../../helpers/run-as.ts'
import { fixture, noPython, python } from './world.ts'

/** What the sandbox answers in another way, each with the reason. */
const differs: Readonly<Record<string, string>> = {
  'the slave is opened by a leader without a terminal': 'the notifier opens it, so that no session gets it',
  'the slave is opened for reading, and may wait': 'such an open is not notified',
  'a byte is typed by TIOCSTI': 'it stays refused',
}

describe.skipIf(noPython).for(users)('a terminal that a command of $name makes', (user) => {
  let outside: readonly string[]
  let inside: readonly string[]

  beforeAll(async () => {
    const cwd = makeDirectory()
    chmodSync(cwd, 0o777)
    cpSync(fixture('terminals.py'), join(cwd, 'terminals.py'))
    chmodSync(join(cwd, 'terminals.py'), 0o644)
    const argv = [python, join(cwd, 'terminals.py')]
    const { uid, gid } = user
    outside = linesOf(spawnSync(python, argv.slice(1), { uid, gid, cwd, encoding: 'utf8' }).stdout)
    const [held] = await runAs(user, { options: { mode: 'workspace', cwd }, commands: [argv] })
    inside = linesOf(held?.stdout ?? '')
  }, 120_000)

  const told = (lines: readonly string[]) => lines.filter((line) => !(nameOf(line) in differs))

  it('is as outside of vitrine', () => {
    expect(outside.length).toBeGreaterThan(15)
    expect(told(inside)).toEqual(told(outside))
  })

  it('but for what is named', () => {
    const names = inside.filter((line) => !outside.includes(line)).map(nameOf)
    expect(names).toEqual(Object.keys(differs))
  })
})

function nameOf(line: string): string {
  return line.split(': ')[0] ?? ''
}

function linesOf(output: string): string[] {
  return output.split('\n').filter((line) => line !== '')
}
