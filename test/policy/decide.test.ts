import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Mode } from '../../src/base/types.ts'
import { couldMatch } from '../../src/policy/paths.ts'
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
  'rm -rf out/',
  'rm -rf out/.',
  'rm -rf root/',
  'rm -rf out/*',
  'rm -rf root/*',
  'rm -rf plain root/',
])('a disaster behind a link is denied: %s', async (command) => {
  expect(await verdictOn(command)).toBe('deny')
})

it.each(['rm -rf plain/', 'rm -rf in/', 'rm -rf out/sub', 'rm -rf plain/*'])(
  'another place behind a link is asked about: %s',
  async (command) => expect(await verdictOn(command)).toBe('ask'),
)

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

describe('a rule that denies an option', () => {
  it.each(['-f', '-rf', '-fr', '-vrf', '-xvzfq'])('sees it in %s', (option) => {
    expect(verdict(`tool ${option} x`, { deny: ['tool -f'] })).toBe('deny')
  })

  it('sees several letters in any order', () => {
    for (const option of ['-rf', '-fr', '-fvr'])
      expect(verdict(`tool ${option}`, { deny: ['tool -rf'] })).toBe('deny')
    for (const option of ['-r', '-f', '-x'])
      expect(verdict(`tool ${option}`, { deny: ['tool -rf'] })).not.toBe('deny')
  })

  it.each(['--force', '--force=yes', '--forc', '--fo'])('sees %s, which means it', (option) => {
    expect(verdict(`tool ${option} x`, { deny: ['tool --force'] })).toBe('deny')
  })
})

describe('a path that could not be looked up in time', () => {
  const facts = { unanswered: '/mnt/silent/x' }

  it('makes the line one to ask about', () => {
    const { verdict, matches } = decideLine('cat /mnt/silent/x', presetRules('default'), 'write', facts)
    expect(verdict).toBe('ask')
    expect(matches.filter(({ rule }) => rule === 'unsure')).toHaveLength(1)
  })

  it('makes it one to deny where only analysis is allowed', () => {
    expect(decideLine('cat /mnt/silent/x', presetRules('analysis'), 'write', facts).verdict).toBe('deny')
  })
})

describe('a pattern with stars', () => {
  const matching = [
    ['*', 'a'],
    ['*a*b*', 'xaxbx'],
    ['a*ab', 'aab'],
    ['*ab*ab', 'abab'],
    ['\\**', '*x'],
    ['?', 'é'],
    ['[a', 'b'],
  ] as const
  it.each(matching)('%s matches %s', (pattern, name) => expect(couldMatch(pattern, name)).toBe(true))

  const other = [
    ['a*', 'ba'],
    ['*ab*ab', 'ab'],
    ['\\*', 'a'],
    ['*.*', 'ab'],
  ] as const
  it.each(other)('%s does not match %s', (pattern, name) => expect(couldMatch(pattern, name)).toBe(false))

  it('takes a short time, whatever the name is', () => {
    const started = process.cpuUsage()
    for (const stars of [4, 6, 50, 100, 1000]) couldMatch(`${'*a'.repeat(stars)}*b`, 'a'.repeat(255))
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(400)
  })
})

it('a denied command says which file denies it', async () => {
  const shell = await openTestShell({ mode: 'read', toml: '[policy]\ndeny = ["forbidden"]\n' })
  const denied = await shell.execute({ command: 'forbidden x' }).catch((error: unknown) => error)
  const source = expect.stringMatching(/config\.toml$/)
  const matches = expect.arrayContaining([expect.objectContaining({ source })])
  expect(denied).toMatchObject({ code: 'DENIED', refusal: { decision: { matches } } })
})
