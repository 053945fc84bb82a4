import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Mode } from '../../src/base/types.ts'
import type { PolicySettings } from '../../src/policy/ruleset.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'
import { decideLine, presetRules, rulesOf } from './helper.ts'

/** What is decided about a line; nothing runs. `out` leads home, `root` to /. */
async function verdictOn(command: string) {
  const parent = makeDirectory()
  const [home, cwd] = [join(parent, 'home'), join(parent, 'work')]
  for (const directory of [home, cwd, join(cwd, 'plain')]) mkdirSync(directory)
  symlinkSync(home, join(cwd, 'out'))
  symlinkSync('/', join(cwd, 'root'))
  symlinkSync('plain', join(cwd, 'in'))
  const shell = await openTestShell({ cwd, mode: 'write', env: { HOME: home } })
  return (await shell.decide({ command })).verdict
}

it.each([
  ['deny', ['out/', 'out/.', 'root/', 'out/*', 'root/*', 'plain root/']],
  ['ask', ['plain/', 'in/', 'out/sub', 'plain/*']],
])('behind links, a disaster is denied, and another place asked about: %s', async (wanted, places) => {
  for (const place of places) expect(await verdictOn(`rm -rf ${place}`), place).toBe(wanted)
})

const verdict = (line: string, settings: Partial<PolicySettings>, mode: Mode = 'write') =>
  decideLine(line, rulesOf(settings), mode).verdict

describe('a rule that allows a program', () => {
  it.each(['/usr/bin/tool', './tool', '../bin/tool', 'bin/tool'])(
    'by the path %s allows it by that path alone',
    (path) => {
      expect(verdict(`${path} x`, { allow: [path] })).toBe('allow')
      for (const other of [
        `/tmp/evil${path.startsWith('/') ? path : `/${path}`}`,
        'tool',
        `${path}2`,
        `/${path}`,
      ])
        expect(verdict(`${other} x`, { allow: [path] }), other).toBe('ask')
    },
  )

  it('by its name allows it in the directories of the system, and no other program of that name', () => {
    const settings = { allow: ['tool'] }
    for (const line of ['tool x', '/usr/bin/tool x', '/bin/tool x'])
      expect(verdict(line, settings), line).toBe('allow')
    for (const line of [
      './tool x',
      'bin/tool x',
      '/tmp/tool x',
      '/home/me/bin/tool x',
      '/usr/bin/../../tmp/tool',
    ])
      expect(verdict(line, settings), line).toBe('ask')
  })
})

it.each([
  ['-f', 'deny', ['-f', '-rf', '-fr', '-vrf', '-xvzfq']],
  ['-rf', 'deny', ['-rf', '-fr', '-fvr']],
  ['-rf', 'ask', ['-r', '-f', '-x']],
  ['--force', 'deny', ['--force', '--force=yes', '--forc', '--fo']],
] as const)('a rule that denies the option %s says %s to %j', (denied, wanted, options) => {
  for (const option of options)
    expect(verdict(`tool ${option} x`, { deny: [`tool ${denied}`] }), option).toBe(wanted)
})

it.each([
  ['default', 'ask'],
  ['analysis', 'deny'],
] as const)('a path that could not be looked up in time makes a line unsure: %s', (preset, wanted) => {
  const facts = { unanswered: '/mnt/silent/x' }
  const { verdict, matches } = decideLine('cat /mnt/silent/x', presetRules(preset), 'write', facts)
  expect(verdict).toBe(wanted)
  expect(matches.filter(({ rule }) => rule === 'unsure')).toHaveLength(1)
})
