import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Mode } from '../../src/base/types.ts'
import { decide } from '../../src/policy/decide/decide.ts'
import { type PolicyRequest, planRequest } from '../../src/policy/decide/plan.ts'
import type { PolicySettings } from '../../src/policy/decide/ruleset.ts'
import { valuesIn } from '../../src/policy/decide/values.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'
import { cwd, home, plainFacts, rulesOf } from './helper.ts'

type Values = Readonly<Record<string, string>>

function plan(line: string, values: Values): PolicyRequest {
  const variableValue = valuesIn({ line: values }, {})
  return planRequest({ work: { kind: 'line', line }, mode: 'write', cwd, home, variableValue })
}

function verdict(line: string, values: Values, settings: Partial<PolicySettings> = {}): string {
  const request = plan(line, values)
  return decide(request, rulesOf(settings), plainFacts(request)).verdict
}

describe('a variable in double quotes', () => {
  it.each([
    'rg "$X" src',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expansion of sh
    'rg "${X}" src',
    'rg -e "$X" src',
    'rg "$X" src | head -5',
    'cd src && rg "$X"',
    'echo "$(rg "$X" src)"',
    'timeout 10 rg "$X" src',
    'time rg "$X" src',
    'Y=1; rg "$X" src',
    'for f in a b; do rg "$X" src; done',
  ])('is decided by its value: %s', (line) => {
    expect(verdict(line, { X: 'foo' })).toBe('allow')
    expect(verdict(line, {})).toBe('allow')
    for (const X of ['--pre=./evil', '-z', '--hostname-bin=./evil']) expect(verdict(line, { X })).toBe('ask')
  })

  it.each([
    'X=VALUE; rg "$X" src',
    'X=VALUE && rg "$X" src',
    'X=VALUE\nrg "$X" src',
    'Y=1; Z="a b" X=VALUE; rg "$X" src | head -5',
    'X=other; X=VALUE; rg "$X" src',
    'X=VALUE; for f in a b; do rg "$X" src; done',
  ])('has the literal value that the line assigns first: %s', (line) => {
    const verdictOf = (value: string) => verdict(line.replace('VALUE', value), { X: '--pre=./inherited' })
    for (const value of ['foo', "'a b'", '"a b"', '']) expect(verdictOf(value), value).toBe('allow')
    for (const value of ['--pre=./evil', "'--pre=./evil'", '--pre=./"evil"'])
      expect(verdictOf(value), value).toBe('ask')
  })

  it.each([
    'false && X=a; rg "$X" src',
    'false || X=a; rg "$X" src',
    'X=a & rg "$X" src',
    'X=a | true; rg "$X" src',
    '(X=a); rg "$X" src',
    '{ X=a; }; rg "$X" src',
    'if X=a; then rg "$X" src; fi',
    '! X=a; rg "$X" src',
    'X=a || true; rg "$X" src',
    'X=$Y; rg "$X" src',
    'X=~; rg "$X" src',
    'X=a; X=b rg "$X" src',
    'X=a; true && X=b; rg "$X" src',
    'X+=a; rg "$X" src',
    'X=a >f; rg "$X" src',
    'X=a rg "$X" src',
    'for X in a; do rg "$X" src; done',
    'read X; rg "$X" src',
    'read -r X < f && rg "$X" src',
    'cat f | while read -r X; do rg "$X" src; done',
    'export X=a; rg "$X" src',
    'unset X; rg "$X" src',
    'getopts a X; rg "$X" src',
    'printf -v X \'%s\' a; rg "$X" src',
    'local X=a; rg "$X" src',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expansion of sh
    'rg "${X:=a}" src',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expansion of sh
    ': "${X:=a}"; rg "$X" src',
    ': $((X=1)); rg "$X" src',
    '[[ X=1 -eq 1 ]]; rg "$X" src',
    '. ./f; rg "$X" src',
    'source f; rg "$X" src',
    'eval a; rg "$X" src',
    'command eval a; rg "$X" src',
    'trap a EXIT; rg "$X" src',
    'f() { rg "$X" src; }; f',
    './setup; unknown; rg "$X" src',
    'bash -c \'rg "$X" src\'',
    'sh -c \'rg "$X" src\'',
  ])('has no certain value where the line may change it: %s', (line) => {
    const words = plan(line, { X: 'foo' }).steps.flatMap(({ command }) => command.words)
    const given = words.filter(({ text }) => /^"\$\{?X/.test(text))
    expect(given.map(({ kind }) => kind)).not.toContain('literal')
    expect(given).not.toEqual([])
  })

  it.each([
    'rg $X src',
    'rg "$X$Y" src',
    'rg "a"$X src',
    'rg "$1" src',
    'rg "$_" src',
    'rg "$OLDPWD" src',
    'rg "$BASH_COMMAND" src',
    'rg "$TERM" src',
    '"$X" foo src',
  ])('and no other expansion is followed: %s', (line) => {
    expect(verdict(line, { X: 'foo', Y: 'b', TERM: 'foo' })).toBe('ask')
  })

  it('is an argument like any other for a program, a path and a rule', () => {
    expect(verdict('npm "$X"', { X: 'foo' })).toBe('ask')
    expect(verdict('rg "$X" src; touch a', { X: 'foo' })).toBe('ask')
    expect(verdict('git "$X"', { X: 'push' }, { deny: ['git push'] })).toBe('deny')
    expect(verdict('cat "$X"', { X: '/etc/shadow' })).toBe(verdict('cat /etc/shadow', {}))
    expect(verdict('git diff "$X"', { X: '--ext-diff' })).toBe('ask')
    expect(verdict('sort "$X" a', { X: '-oF' })).toBe('ask')
  })

  it('has no value where environments differ, or where a character may arrive changed', () => {
    const value = valuesIn({ line: { A: '1', X: 'a' }, none: { X: 'a' } }, { Y: undefined, Z: 'z' })
    expect(['A', 'X', 'Y', 'Z', 'none', 'toString', '__proto__'].map(value)).toEqual([
      undefined,
      'a',
      '',
      'z',
      '',
      '',
      '',
    ])
    expect(valuesIn({ line: { X: 'a\nb', Y: '\ud800' } }, {})('X')).toBeUndefined()
    expect(valuesIn({ line: { Y: '\ud800' } }, {})('Y')).toBeUndefined()
  })
})

describe('a value that names a program', () => {
  const toml = '[policy]\nunattended = "deny"\n'
  const plain = { PATH: '/usr/local/bin:/usr/bin:/bin' }
  const place = () => {
    const directory = makeDirectory()
    mkdirSync(join(directory, 'src'))
    writeFileSync(join(directory, 'src', 'a'), 'foo\n')
    const trace = join(directory, 'ran')
    execFileSync('git', ['init', '-q'], { cwd: directory, env: plain })
    execFileSync('git', ['add', 'src'], { cwd: directory, env: plain })
    writeFileSync(join(directory, 'evil'), `#!/bin/sh\necho ran >>'${trace}'\n`)
    chmodSync(join(directory, 'evil'), 0o755)
    const open = (env: Values, options = {}) =>
      openTestShell({ toml, cwd: directory, mode: 'write' as Mode, env: { ...plain, ...env }, ...options })
    return { open, trace }
  }
  const command = 'git grep "$X" foo'
  const X = '-O./evil'

  it('never runs it, whether the shell, the configuration or the command sets it', async () => {
    const { open, trace } = place()
    const configured = `${toml}[env.set]\nX = "${X}"\n`
    const refused = { code: 'NOT_APPROVED' }
    await expect((await open({ X })).execute({ command })).rejects.toMatchObject(refused)
    await expect((await open({}, { toml: configured })).execute({ command })).rejects.toMatchObject(refused)
    await expect((await open({ X: 'src/a' })).execute({ command, env: { X } })).rejects.toMatchObject(refused)
    // What sh itself would have made of it:
    expect(existsSync(trace)).toBe(false)
    execFileSync('sh', ['-c', command], { cwd: dirname(trace), env: { ...plain, X }, stdio: 'ignore' })
    expect(existsSync(trace)).toBe(true)
  })

  it('is not rg --pre either', async () => {
    const { open, trace } = place()
    const shell = await open({ X: '--pre=./evil' })
    await expect(shell.execute({ command: 'rg "$X" src' })).rejects.toMatchObject({ code: 'NOT_APPROVED' })
    expect(existsSync(trace)).toBe(false)
  })

  it('runs with a harmless one', async () => {
    const { open } = place()
    const result = await (await open({ X: 'foo' })).execute({ command: 'grep -rh "$X" src' })
    expect(result).toMatchObject({ exitCode: 0, stdout: 'foo\n' })
  })

  it('has the value that stood when the shell opened, whatever the process sets later', async () => {
    const { open, trace } = place()
    const env: Record<string, string> = { ...plain, X }
    const shell = await open({}, { env })
    env['X'] = 'src/a'
    await expect(shell.execute({ command })).rejects.toMatchObject({ code: 'NOT_APPROVED' })
    expect(existsSync(trace)).toBe(false)
  })

  it('is asked about anew when it changes after an approval for the same command', async () => {
    const { open } = place()
    const asked: string[] = []
    const approver = ({ command: text }: { command: string }) => {
      asked.push(text)
      return 'same' as const
    }
    const shell = await open({}, { approver })
    const run = (X: string) => shell.execute({ command: 'grep -r "$X" src; touch a', env: { X } })
    for (const X of ['foo', 'foo', '--version']) await run(X)
    expect(asked).toHaveLength(2)
  })
})
