// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the shell's expansions
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ended, Home, type Ran } from './vitrine.ts'

function open() {
  const home = new Home()
  const project = join(home.directory, 'project')
  mkdirSync(join(project, 'src'), { recursive: true })
  const run = (line: string, ...options: readonly string[]): Promise<Ran> =>
    home.run(['run', '--session', 'a', ...options, '--', line], { cwd: project })
  const sessions = join(home.directory, '.state/vitrine/sessions')
  return { home, project, run, sessions, file: join(sessions, 'a.json') }
}

describe('run --session', () => {
  it('goes on with what the last process has left, in a file of the user alone', async () => {
    const { project, run, file, sessions, home } = open()
    const first = 'cd src; x=1; export Y=2; f() { echo "f $1"; }; umask 077; exit 3'
    expect(await run(first)).toMatchObject({ code: 3, stdout: '', stderr: '' })
    expect(await run('pwd; echo $x; sh -c "echo \\$Y"; f z; umask')).toMatchObject({
      stdout: `${join(project, 'src')}\n1\n2\nf z\n0077\n`,
    })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(sessions).mode & 0o777).toBe(0o700)
    expect(await home.run(['run', '--session', 'b', '--', 'echo ${x-none}'])).toMatchObject({
      stdout: 'none\n',
    })
  })

  it('runs where --cwd says, and stays where it is', async () => {
    const { project, run } = open()
    await run('cd src')
    expect(await run('pwd', '--cwd', '/usr')).toMatchObject({ stdout: '/usr\n' })
    expect(await run('pwd')).toMatchObject({ stdout: `${join(project, 'src')}\n` })
  })

  it('has each line of --each go on from the one before, and --json say where it is', async () => {
    const { home, project } = open()
    const args = ['run', '--session', 'a', '--each', '--json=full', '--', 'cd src; x=1', 'echo $x']
    const { stdout } = await home.run(args, { cwd: project })
    const results = JSON.parse(stdout)
    expect(JSON.stringify(results)).toContain(JSON.stringify({ cwd: join(project, 'src'), kept: true }))
    expect(stdout).toContain('1\\n')
  })

  it('lets one process after the other have the session', async () => {
    const { run } = open()
    await run('n=0')
    await Promise.all([1, 2, 3].map(() => run('n=$((n + 1)); sleep 0.1')))
    expect(await run('echo $n')).toMatchObject({ stdout: '3\n' })
  })

  it('is free again when its process is killed', async () => {
    const { home, project, run } = open()
    const child = home.start(['run', '--session', 'a', '--', 'echo up; sleep 20'], { cwd: project })
    await new Promise((resolve) => child.stdout?.once('data', resolve))
    child.kill('SIGKILL')
    await ended(child)
    expect(await run('echo next')).toMatchObject({ code: 0, stdout: 'next\n' })
  })

  it('begins anew in a looser mode, and says so', async () => {
    const { run } = open()
    await run('x=1')
    const result = await run('echo ${x-none}', '--mode', 'workspace')
    expect(result).toMatchObject({ code: 0, stdout: 'none\n', stderr: expect.stringContaining('anew') })
  })

  it('takes no file but its own', async () => {
    const { run, file, home } = open()
    await run('x=1')
    const state = JSON.parse(readFileSync(file, 'utf8'))
    const wrong = [
      '{',
      JSON.stringify({ ...state, more: 1 }),
      JSON.stringify({ ...state, umask: '022; touch evil' }),
      JSON.stringify({ ...state, variables: { 'x; touch evil': '1' } }),
      JSON.stringify({ ...state, options: ['set -o errexit\ntouch evil'] }),
      JSON.stringify({ ...state, declarations: { x: 'touch evil' } }),
      JSON.stringify({ ...state, functions: { f: 'touch evil' } }),
      JSON.stringify({ ...state, aliases: { 'a b': '1' } }),
    ]
    for (const text of wrong) {
      writeFileSync(file, text)
      expect(await run('true', '--mode', 'write'), text).toMatchObject({
        code: 125,
        stderr: expect.stringContaining(file),
      })
    }
    expect(existsSync(join(home.directory, 'project/evil'))).toBe(false)
    unlinkSync(file)
    writeFileSync(join(home.directory, 'elsewhere'), JSON.stringify(state))
    symlinkSync(join(home.directory, 'elsewhere'), file)
    expect(await run('true')).toMatchObject({ code: 125, stderr: expect.stringContaining(file) })
    unlinkSync(file)
    expect(await run('echo ${x-none}')).toMatchObject({ code: 0, stdout: 'none\n' })
  })

  it('is refused where other users could change it', async () => {
    const { run, sessions } = open()
    await run('x=1')
    chmodSync(sessions, 0o777)
    expect(await run('true')).toMatchObject({ code: 125, stderr: expect.stringContaining(sessions) })
  })

  it('is forgotten after seven days', async () => {
    const { run, file, home } = open()
    await run('x=1')
    const old = Date.now() / 1000 - 8 * 86_400
    utimesSync(file, old, old)
    await home.run(['run', '--session', 'b', '--', 'true'])
    expect(existsSync(file)).toBe(false)
  })

  it('cannot be changed by a command that is held, wherever the state directory is', async () => {
    const { home, run, file, project } = open()
    await run('x=1')
    const before = readFileSync(file)
    const env = { XDG_STATE_HOME: join(project, '.state') }
    for (const mode of ['read', 'workspace']) {
      await home.run(['run', '--mode', mode, '--', `echo evil > ${file}; rm -f ${file}`], { cwd: project })
      expect(readFileSync(file)).toEqual(before)
    }
    const inside = [
      'run',
      '--mode',
      'workspace',
      '--session',
      'a',
      '--',
      'x=1; echo evil > .state/vitrine/sessions/a.json',
    ]
    await home.run(inside, { cwd: project, env })
    const there = join(project, '.state/vitrine/sessions/a.json')
    expect(existsSync(there) ? readFileSync(there, 'utf8') : '').not.toContain('evil\n')
  })

  it.each([
    [['--session', '../x'], '"session" must be'],
    [['--session', 'a', '--pty'], '--session keeps the state'],
  ])('%j is no way to call it', async (options, said) => {
    expect(await new Home().run(['run', ...options, '--', 'true'])).toMatchObject({
      code: 125,
      stderr: expect.stringContaining(said),
    })
  })
})
