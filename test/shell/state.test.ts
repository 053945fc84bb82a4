import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ApprovalRequest, LineVariables, Mode } from '../../src/index.ts'
import { Home } from '../cli/vitrine.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'

const path = '/usr/local/bin:/usr/bin:/bin'
const refused = { code: 'NOT_APPROVED' }

/** A directory whose program `git` leaves a trace. */
function makeTrap() {
  const cwd = makeDirectory()
  const evil = join(cwd, 'evil')
  const trace = join(cwd, 'ran')
  mkdirSync(evil)
  writeFileSync(join(evil, 'git'), `#!/bin/sh\necho ran >>'${trace}'\n`)
  chmodSync(join(evil, 'git'), 0o755)
  return { cwd, evil, trace, ran: () => existsSync(trace) }
}

interface SessionOptions {
  readonly toml?: string
  readonly answer?: 'yes' | 'no'
}

/** A session as an embedder keeps one: each line begins with what all lines before it left. */
async function openSession(cwd: string, { toml = '', answer = 'no' }: SessionOptions = {}) {
  const asked: ApprovalRequest[] = []
  const reasons: string[] = []
  const home = makeDirectory()
  const shell = await openTestShell({
    cwd,
    mode: 'write',
    toml,
    env: { PATH: path, HOME: home },
    approver: async (request, decision) => {
      asked.push(request)
      reasons.push(decision.reason)
      return answer
    },
  })
  let variables: LineVariables = {}
  const line = async (mode: Mode, command: string, more: LineVariables = {}) => {
    shell.mode = mode
    const onState = (state: { variables: LineVariables }) => {
      variables = { ...variables, ...state.variables }
    }
    const given = { ...variables, ...more }
    return shell.execute({ command }, { line: { variables: given, onState } })
  }
  return { line, reasons, asked, home }
}

const linux = describe.runIf(process.platform === 'linux')

linux('what a line of a stricter mode left', () => {
  it.each(['read', 'workspace'] as const)('does not choose the programs of write mode (%s)', async (mode) => {
    const { cwd, evil, ran } = makeTrap()
    const { line } = await openSession(cwd)
    await line(mode, `export PATH="${evil}:$PATH" OTHER=1`)
    expect((await line(mode, 'echo "$PATH:$OTHER"')).stdout).toBe(`${evil}:${path}:1\n`)
    const result = await line('write', 'git --version')
    expect(result).toMatchObject({ exitCode: 0, decision: { verdict: 'allow' } })
    expect(result.stdout).toMatch(/^git version/)
    expect(result.hint).toMatch(/write mode.*: PATH, OTHER\./)
    expect(ran()).toBe(false)
  })

  it('does not reach workspace mode from read mode, and applies in read mode again', async () => {
    const { line } = await openSession(makeDirectory())
    await line('read', 'export R=1')
    const looser = await line('workspace', 'echo "r=$R"')
    expect([looser.stdout, looser.hint?.includes('R')]).toEqual(['r=\n', true])
    const again = await line('read', 'echo "r=$R"')
    expect([again.stdout, again.hint]).toEqual(['r=1\n', undefined])
  })

  it('a removed variable is there again, and one that write mode exports itself stays', async () => {
    const { line, home } = await openSession(makeDirectory(), { answer: 'yes' })
    await line('workspace', 'unset HOME; export A=stricter')
    expect((await line('write', 'echo "$HOME $A"')).stdout).toBe(`${home} \n`)
    await line('write', 'export A=own')
    const own = await line('write', 'sh -c \'echo "$A"\'')
    expect([own.stdout, own.hint?.includes('A,')]).toEqual(['own\n', false])
  })

  it('is asked about where the embedder has put something before it', async () => {
    const { cwd, evil, ran } = makeTrap()
    const { line, reasons } = await openSession(cwd)
    await line('workspace', `export PATH="${evil}:$PATH"`)
    const PATH = `${evil}:${evil}:${path}`
    await expect(line('write', 'git status', { PATH })).rejects.toMatchObject(refused)
    expect(reasons).toEqual([expect.stringContaining('PATH')])
    expect(ran()).toBe(false)
  })

  it('does not reach the second run of a command in write mode', async () => {
    const { cwd, evil } = makeTrap()
    const outside = join(makeDirectory(), 'outside')
    writeFileSync(outside, '')
    const toml = '[workspace]\non_refusal = "ask"\n'
    const { line } = await openSession(cwd, { toml, answer: 'yes' })
    await line('workspace', `export PATH="${evil}:$PATH"`)
    const result = await line('workspace', `echo x >${outside}; command -v git >>${outside}`)
    expect(result).toMatchObject({ mode: 'write', exitCode: 0 })
    expect(result.hint).toContain('PATH')
    expect(readFileSync(outside, 'utf8')).toMatch(/^x\n\/usr\/(local\/)?bin\/git\n$/)
  })
})

linux('what a line of write mode left', () => {
  const write = (more: LineVariables, command = 'git status', options: SessionOptions = {}) => {
    const { cwd } = makeTrap()
    return openSession(cwd, options).then(async ({ line, reasons, asked }) => {
      const result = await line('write', command, more).catch((error: unknown) => error)
      return { result, reasons, asked }
    })
  }

  it.each([
    ['PATH', './evil'],
    ['LD_PRELOAD', './evil.so'],
    ['GIT_EXTERNAL_DIFF', './evil/git'],
    ['GIT_CONFIG_COUNT', '1'],
    ['NODE_OPTIONS', '--require ./evil.js'],
    ['BASH_ENV', './evil.sh'],
    ['ENV', './evil.sh'],
    ['PYTHONSTARTUP', './evil.py'],
    ['PERL5LIB', './evil'],
    ['GIT_PAGER', './evil/git'],
    ['LC_ALL', 'ja_JP.SJIS'],
    ['BASH_FUNC_git%%', '() { ./evil/git; }'],
    ['HOME', null],
    ['GIT_PAGER', null],
  ])('is asked about, by name: %s=%s', async (name, value) => {
    const { result, reasons, asked } = await write({ [name]: value })
    expect(result).toMatchObject(refused)
    expect(reasons).toEqual([expect.stringContaining(name)])
    expect(asked[0]?.command).toContain(value === null ? `unset ${name}` : `${name}=`)
  })

  it.each([
    ['is as write mode has it', { PATH: path, GIT_TERMINAL_PROMPT: '0' }, 'git --version'],
    ['is what cd leaves', { OLDPWD: '/usr' }, 'ls'],
    ['cannot matter', { CI: '1', NO_COLOR: '1', GIT_PAGER: 'cat' }, 'ls'],
    ['changes no more than a held line can', { KUBECONFIG: './evil', OTHER: '1' }, 'cd evil && ls'],
    ['a rule allows with it', { OTHER: '1' }, 'touch made', '[policy]\nallow = ["touch"]\n'],
  ])('is not asked about where it %s', async (_, variables, command, toml = '') => {
    const { result, asked } = await write(variables, command, { toml })
    expect([result, asked]).toMatchObject([{ exitCode: 0, decision: { verdict: 'allow' } }, []])
  })

  it('is asked about whatever rule allows the command, where it chooses programs', async () => {
    const toml = '[policy]\nallow = ["touch"]\n'
    expect((await write({ PATH: './evil' }, 'touch made', { toml })).result).toMatchObject(refused)
  })

  it('is asked about for an argument vector, too', async () => {
    const { cwd, ran } = makeTrap()
    const shell = await openTestShell({ cwd, mode: 'write', toml: '[policy]\nunattended = "deny"\n' })
    const line = { variables: { PATH: join(cwd, 'evil') }, onState: () => undefined }
    await expect(shell.execute({ argv: ['git', 'status'] }, { line })).rejects.toMatchObject(refused)
    expect(ran()).toBe(false)
  })

  it('a yes counts for the value that was shown', async () => {
    const { line, asked } = await openSession(makeTrap().cwd, { answer: 'yes' })
    for (const OTHER of ['1', '2']) await line('write', 'touch x', { OTHER })
    expect(asked.map(({ command }) => command)).toEqual(['OTHER=1 touch x', 'OTHER=2 touch x'])
  })
})

it('a pager among the variables of one command is asked about, and cat is not', async () => {
  const cwd = makeDirectory()
  const shell = await openTestShell({ cwd, mode: 'write', toml: '[policy]\nunattended = "deny"\n' })
  const decide = async (env: Record<string, string | undefined>) =>
    (await shell.decide({ command: 'git log', env })).verdict
  for (const name of ['GIT_PAGER', 'PAGER', 'MANPAGER']) {
    expect(await decide({ [name]: './evil' })).toBe('ask')
    expect(await decide({ [name]: undefined })).toBe('ask')
    expect(await decide({ [name]: 'cat' })).toBe('allow')
  }
})

linux('vitrine shell', () => {
  const lines = (home: Home, ...all: string[]) => home.run(['shell'], { input: `${all.join('\n')}\n` })

  it('runs no program from a PATH of workspace mode in write mode', async () => {
    const home = new Home()
    const { evil, ran } = makeTrap()
    const setPath = `export PATH="${evil}:$PATH"`
    const done = await lines(home, ':workspace', setPath, ':write', 'git --version', 'cd /', 'git --version')
    expect(done.stdout.match(/^git version/gm)).toHaveLength(2)
    expect(done.stderr).toMatch(/PATH/)
    expect(ran()).toBe(false)
  })

  it('asks about a safe line after an allowed one has set the PATH of write mode', async () => {
    const home = new Home()
    home.configure('[policy]\nunattended = "deny"\nallow = ["export"]\n')
    const { evil, ran } = makeTrap()
    const done = await lines(
      home,
      ':write',
      'git --version',
      `export PATH="${evil}:/usr/bin:/bin"`,
      'git --version',
    )
    expect(done.stdout.match(/^git version/gm)).toHaveLength(1)
    expect(done.stderr).toMatch(/PATH/)
    expect(ran()).toBe(false)
  })
})
