import { execFileSync } from 'node:child_process'
import { existsSync, linkSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Approver } from '../../../src/admit/approver.ts'
import { openAudited } from '../../audit/place.ts'
import { makeDirectory, openTestShell } from '../../helpers/place.ts'
import { prelude } from './own-sandbox/rows.ts'

/** A repository whose branches differ in a workflow and in settings of an agent. */
function makeProject(): string {
  const cwd = join(makeDirectory(), 'project')
  mkdirSync(cwd)
  const script = `
git init -q -b main && git config user.name A && git config user.email a
mkdir -p .github/workflows .claude/commands src
echo one > .github/workflows/ci.yml; echo one > .github/workflows/old.yml; echo one > .claude/settings.json; echo one > src/a
git add -A && git commit -qm first && git checkout -qb other
echo two > .github/workflows/ci.yml; git rm -q .github/workflows/old.yml; mkdir .claude/hooks; echo two > .claude/hooks/h
echo two > src/a; git add -A; git commit -qm second; git checkout -q main`
  execFileSync('sh', ['-ec', script], { cwd, stdio: 'pipe' })
  return cwd
}

const text = (cwd: string, path: string) =>
  existsSync(join(cwd, path)) ? readFileSync(join(cwd, path), 'utf8').trim() : undefined

/** Answers by protected path; keeps what it was asked about. */
function approving(answer: (reason: string) => ReturnType<Approver> | 'yes' | 'no' | 'all') {
  const asked: string[] = []
  const approver: Approver = async (_, { reason }) => {
    asked.push(reason)
    return answer(reason)
  }
  return { asked, approver }
}

async function open(cwd: string, approver: Approver | undefined, on = 'ask') {
  return openTestShell({
    cwd,
    mode: 'workspace',
    toml: `[workspace]\non_protected = "${on}"`,
    ...(approver && { approver }),
  })
}

const linux = describe.runIf(process.platform === 'linux')

linux('[workspace] on_protected = "ask"', () => {
  it('asks about no program with a sandbox of its own, and changes nothing for it', async () => {
    const act = (narrow: string) => [
      'python3',
      '-c',
      `${prelude}\n${narrow}\nopen(".github/workflows/new.yml", "w").write("x")`,
    ]
    for (const [narrow, questions] of [
      ['', 1],
      ['landlock()', 0],
    ] as const) {
      const cwd = makeProject()
      const { asked, approver } = approving(() => 'yes')
      const shell = await open(cwd, approver)
      const { exitCode } = await shell.execute({ argv: act(narrow) })
      expect(asked).toHaveLength(questions)
      expect(text(cwd, '.github/workflows/new.yml')).toBe(questions ? 'x' : undefined)
      expect(exitCode).toBe(questions ? 0 : 1)
    }
  })

  it('a checkout asks once for each protected path, and then carries everything out', async () => {
    const cwd = makeProject()
    const { asked, approver } = approving(() => 'yes')
    const shell = await open(cwd, approver)
    expect(await shell.execute({ command: 'git checkout -q other' })).toMatchObject({
      exitCode: 0,
      denials: [],
    })
    expect(asked).toHaveLength(2)
    expect(text(cwd, '.github/workflows/ci.yml')).toBe('two')
    expect(text(cwd, '.github/workflows/old.yml')).toBeUndefined()
    expect(text(cwd, '.claude/hooks/h')).toBe('two')
    expect(execFileSync('git', ['status', '--porcelain'], { cwd, encoding: 'utf8' })).toBe('')
  })

  const refusals: readonly [string, Approver | undefined, string][] = [
    ['that says no', async () => 'no', 'ask'],
    ['that fails', () => Promise.reject(new Error('gone')), 'ask'],
    ['that is not asked (deny)', async () => 'yes', 'deny'],
    ['that is absent', undefined, 'ask'],
  ]

  it.each(refusals)('with an approver %s it is refused, as without the setting', async (_, approver, on) => {
    const cwd = makeProject()
    const shell = await open(cwd, approver, on)
    const { exitCode, denials } = await shell.execute({ command: 'echo x > .claude/settings.json' })
    expect(exitCode).not.toBe(0)
    expect(denials).toMatchObject([{ protected: true, path: join(cwd, '.claude/settings.json') }])
    expect(text(cwd, '.claude/settings.json')).toBe('one')
  })

  it('an answer is for one path and one command; standing ones do not count', async () => {
    const cwd = makeProject()
    const { asked, approver } = approving(() => 'all')
    const shell = await open(cwd, approver)
    const command =
      'echo x > .claude/a; echo x > .claude/b; echo x > .envrc; chmod 600 .claude/a; rm .claude/settings.json'
    expect(await shell.execute({ command })).toMatchObject({ exitCode: 0 })
    expect(asked).toHaveLength(2)
    await shell.execute({ command: 'echo y > .envrc' })
    expect(asked).toHaveLength(3)
    expect(text(cwd, '.envrc')).toBe('y')
    expect(statSync(join(cwd, '.claude/a')).mode & 0o777).toBe(0o600)
  })

  it('a no for one path is none for another', async () => {
    const cwd = makeProject()
    const { approver } = approving((reason) => (reason.includes('.envrc') ? 'yes' : 'no'))
    const shell = await open(cwd, approver)
    await shell.execute({
      command: 'echo x > .claude/settings.json; echo x > .envrc; echo y > .claude/settings.json',
    })
    expect([text(cwd, '.envrc'), text(cwd, '.claude/settings.json')]).toEqual(['x', 'one'])
  })

  it('the yes for a directory opens no other protected file that has a name in it', async () => {
    const cwd = makeProject()
    linkSync(join(cwd, '.git/config'), join(cwd, '.claude/config'))
    const before = text(cwd, '.git/config')
    const { approver } = approving((reason) => (reason.includes('.claude') ? 'yes' : 'no'))
    const shell = await open(cwd, approver)
    await shell.execute({
      command: 'echo x >> .claude/config; chmod 777 .claude/config; ln .claude/config src/c; echo x >> src/c',
    })
    expect(text(cwd, '.git/config')).toBe(before)
    expect(statSync(join(cwd, '.git/config')).mode & 0o777).not.toBe(0o777)
  })

  it('directories that lead to something protected do not move', async () => {
    const cwd = makeProject()
    const { asked, approver } = approving(() => 'yes')
    const shell = await open(cwd, approver)
    await shell.execute({ command: 'mv .git g; mv .github h' })
    expect([asked, existsSync(join(cwd, '.git')), existsSync(join(cwd, '.github'))]).toEqual([[], true, true])
  })

  it('the audit log has the paths and the answers', async () => {
    const cwd = makeProject()
    writeFileSync(join(cwd, 'unused'), '')
    const { shell, lines } = await openAudited({
      cwd,
      mode: 'workspace',
      toml: '[workspace]\non_protected = "ask"',
      approver: async () => 'yes',
      env: { HOME: '/dev/null/home' },
    })
    await shell.execute({ command: 'echo x > .envrc' })
    expect(lines()[0]).toMatchObject({
      protected: [{ path: join(cwd, '.envrc'), approval: { by: 'approver', asked: true, answer: 'yes' } }],
    })
  })
})
