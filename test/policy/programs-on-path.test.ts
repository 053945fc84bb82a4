import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { makeDirectory, openTestShell } from '../helpers/place.ts'

const system = '/usr/local/bin:/usr/bin:/bin'
let home = ''
let project = ''
let trace = ''

beforeEach(() => {
  home = makeDirectory()
  project = join(home, 'project')
  trace = join(home, 'ran')
  mkdirSync(join(project, '.git'), { recursive: true })
})

/** A program whose only effect is the trace file. */
function program(path: string): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `#!/bin/sh\necho ran >>'${trace}'\n`)
  chmodSync(path, 0o755)
  return path
}

interface Options {
  readonly path: string
  readonly toml?: string
  readonly cwd?: string
}

/** The line in write mode, where a question is answered with no. Whether the project's program ran. */
async function run(command: string, { path, toml = '', cwd = project }: Options): Promise<string> {
  rmSync(trace, { force: true })
  const shell = await openTestShell({
    toml: `[policy]\nunattended = "deny"\n${toml}`,
    cwd,
    mode: 'write',
    env: { PATH: path, HOME: home },
  })
  const refused = await shell.execute({ command }).then(
    () => undefined,
    (error: { code: string }) => error.code,
  )
  return existsSync(trace) ? 'ran' : (refused ?? 'protected')
}

describe('a program of the safe list that PATH finds in the project', () => {
  const directories: Readonly<Record<string, () => string>> = {
    'node_modules/.bin of the project': () => join(project, 'node_modules', '.bin'),
    'node_modules/.bin above the project': () => join(home, 'node_modules', '.bin'),
    'a venv of the project': () => join(project, '.venv', 'bin'),
    'a directory outside that is a link into the project': () => {
      symlinkSync(join(project, 'tools'), join(home, 'tools'))
      mkdirSync(join(project, 'tools'))
      return join(home, 'tools')
    },
    'a directory outside that is a link to a node_modules/.bin elsewhere': () => {
      mkdirSync(join(home, 'other', 'node_modules', '.bin'), { recursive: true })
      symlinkSync(join(home, 'other', 'node_modules', '.bin'), join(home, 'tools'))
      return join(home, 'tools')
    },
  }
  for (const [name, directory] of Object.entries(directories))
    it(`is asked about in ${name}`, async () => {
      const path = `${directory()}:${system}`
      expect(await run('ls', { path })).toBe('protected')
      program(join(path.split(':')[0] ?? '', 'ls'))
      for (const line of ['ls', 'cat /dev/null; ls', 'find . -exec ls {} +', 'echo | xargs ls'])
        expect(await run(line, { path }), line).toBe('NOT_APPROVED')
      expect(await run('/bin/ls', { path })).toBe('protected')
      execFileSync('sh', ['-c', 'ls'], { env: { PATH: path }, stdio: 'ignore' })
      expect(existsSync(trace)).toBe(true)
    })

  it('is asked about where a relative entry of PATH comes before the system', async () => {
    program(join(project, 'bin', 'ls'))
    for (const path of [`bin:${system}`, `.:${system}`, `:${system}`])
      expect(await run('cd bin; ls', { path }), path).toBe('NOT_APPROVED')
    expect(await run('ls', { path: `${system}:bin` })).toBe('protected')
  })

  it('is asked about where a file of PATH is a link into the project', async () => {
    mkdirSync(join(home, 'tools'))
    symlinkSync(program(join(project, 'ls')), join(home, 'tools', 'ls'))
    expect(await run('ls', { path: `${join(home, 'tools')}:${system}` })).toBe('NOT_APPROVED')
  })

  it('is asked about where a script of the system starts it', async () => {
    const path = `${join(project, 'node_modules', '.bin')}:${system}`
    program(join(project, 'node_modules', '.bin', 'grep'))
    for (const line of ['egrep x /dev/null', '/usr/bin/egrep x /dev/null'])
      expect(await run(line, { path }), line).toBe('NOT_APPROVED')
  })

  it.each([
    ['cd', 'cd /; ls', ['time cd /', 'env cd /', 'echo / | xargs cd', 'find . -maxdepth 0 -exec cd {} +']],
    [':', ': x && ls', ['time : x', 'env : x', 'echo x | xargs :', 'timeout 5 : x']],
  ])('is not looked for by the shell for %s, but by other programs', async (name, line, others) => {
    const bin = join(project, 'node_modules', '.bin')
    const path = `${bin}:${system}`
    for (const other of others) expect(await run(other, { path }), other).toBe('protected')
    program(join(bin, name))
    expect(await run(line, { path })).toBe('protected')
    for (const other of others) expect(await run(other, { path }), other).toBe('NOT_APPROVED')
    const shell = await openTestShell({ cwd: project, mode: 'write', env: { PATH: path, HOME: home } })
    expect((await shell.decide({ argv: [name, '/'] })).verdict).toBe('ask')
  })

  it('is not looked for in a directory that is neither', async () => {
    const path = `${dirname(program(join(home, 'own', 'bin', 'ls')))}:${system}`
    expect(await run('ls', { path })).toBe('ran')
  })

  it('is asked about although a rule of the user names it, when the system has one of that name', async () => {
    const bin = join(project, 'node_modules', '.bin')
    const path = `${bin}:${system}`
    program(join(bin, 'git'))
    expect(await run('git status', { path, toml: 'allow = ["git status"]' })).toBe('NOT_APPROVED')
    program(join(bin, 'linter'))
    expect(await run('linter', { path, toml: 'allow = ["linter"]' })).toBe('ran')
    expect(await run('linter', { path })).toBe('NOT_APPROVED')
  })

  it('is asked about in another project than the shell’s, and denied by the analysis preset', async () => {
    const other = join(home, 'other')
    const path = `${dirname(program(join(other, 'bin', 'ls')))}:${system}`
    const shell = await openTestShell({ cwd: project, mode: 'write', env: { PATH: path, HOME: home } })
    expect((await shell.decide({ command: 'ls', cwd: other })).verdict).toBe('ask')
    expect(await run('ls', { path, cwd: other, toml: 'preset = "analysis"' })).toBe('DENIED')
  })

  it('runs in read mode, which holds it', async () => {
    const path = `${join(project, 'node_modules', '.bin')}:${system}`
    const bin = program(join(project, 'node_modules', '.bin', 'ls'))
    writeFileSync(bin, '#!/bin/sh\necho mine\n')
    const shell = await openTestShell({ cwd: project, env: { PATH: path, HOME: home } })
    expect((await shell.execute({ command: 'ls' })).output).toBe('mine\n')
  })

  it('is said with its path', async () => {
    const bin = program(join(project, 'node_modules', '.bin', 'ls'))
    const path = `${dirname(bin)}:${system}`
    const shell = await openTestShell({ cwd: project, mode: 'write', env: { PATH: path, HOME: home } })
    expect((await shell.decide({ command: 'ls' })).reason).toContain(bin)
  })
})
