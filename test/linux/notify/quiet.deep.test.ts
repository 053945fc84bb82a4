import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { fileThemes, gitThemes, type Theme } from '../../compatibility/commands.ts'
import { fillFixture } from '../../compatibility/fixture.ts'
import { interpreterThemes, shellThemes } from '../../compatibility/programs.ts'
import { makeDirectory, openTestShell } from '../../helpers/place.ts'
import { isInstalled } from '../../helpers/programs.ts'
import { makeGround, shorts } from './denied.ts'
import { makeProject } from './quiet.ts'

const { home, run } = makeProject()
writeFileSync(join(home.directory, 'test_ok.py'), 'def test_ok():\n    assert True\n')

const silent = [
  'man ls',
  'pip list',
  'python3 -m pip --version',
  'top -b -n 1',
  'npm ls',
  'vim -es -c q README.md; true',
]

describe('a larger program that ended with 0 and did without what was refused', () => {
  it.each(silent.filter((line) => isInstalled(line.split(' ')[0] ?? '')))(
    '%s: stderr holds nothing of ours',
    async (line) => {
      const { code, own } = await run(line)
      expect({ code, own }).toEqual({ code: 0, own: [] })
    },
  )
})

describe('pytest', () => {
  it.runIf(isInstalled('pytest'))(
    'warns of no cache that it cannot write, and reads the one there is',
    async () => {
      execFileSync('pytest', ['-q', 'test_ok.py'], { cwd: home.directory, stdio: 'ignore' })
      for (const line of ['pytest -q test_ok.py', 'pytest -q --last-failed test_ok.py']) {
        const { code, stdout, own } = await run(line, '--private-tmp')
        expect({ code, own }).toEqual({ code: 0, own: [] })
        expect(stdout).not.toContain('PytestCacheWarning')
      }
    },
  )
})

/** What these try is a change, and they go on without it: npm writes a log, sqlite3 opens for writing first. */
const trying = /^(npm|npx|sqlite3) /

const themes: readonly Theme[] = [...gitThemes, ...fileThemes, ...shellThemes, ...interpreterThemes]

describe('ordinary commands are reported for nothing', () => {
  it.each(themes.filter(({ needs }) => needs.every(isInstalled)))('$theme', async ({ rows }) => {
    const cwd = makeDirectory()
    fillFixture(cwd)
    const shell = await openTestShell({ cwd, mode: 'read' })
    const lines = rows.map((row) => (typeof row === 'string' ? row : row.line))
    for (const line of lines.filter((line) => !trying.test(line)))
      expect({ line, denied: shorts(await shell.execute({ command: line })) }).toEqual({ line, denied: [] })
  })
})

const quiet: readonly string[] = [
  'ls -l / /etc >/dev/null 2>&1',
  'id; whoami; getent passwd root',
  'mkdir -p sub; test -d sub',
  'cat < /dev/null > /dev/null',
  'echo x > /dev/stdout; echo x > /dev/stderr; echo x > /dev/fd/1; echo x > /proc/self/fd/2',
  'sleep 5 & kill $!; wait $!; true',
  'timeout 0.1 sleep 5; true',
  'kill -0 1; kill -0 $$; true',
  'test -w file && test -w /etc/passwd; true',
  'printf name > /proc/self/task/$$/comm; true', // as pthread_setname_np(3) does it
  'find . -newer file; command -v sh; hash sh',
  'mkdir /tmp/hsperfdata_vitrine; echo x > /tmp/hsperfdata_vitrine; true', // as java does
]

describe('harmless attempts are reported for nothing', () => {
  it.each(quiet)('%s', async (line) => {
    const { run } = await makeGround()
    expect(shorts(await run(line))).toEqual([])
  })

  it('what a process says of its own core dumps stays as it is, and is told of others alone', async () => {
    const { run } = await makeGround()
    const before = readFileSync('/proc/self/coredump_filter', 'utf8')
    const own = await run(
      'echo 0x7f > /proc/$$/coredump_filter & wait; echo 0x7f > /proc/self/coredump_filter',
    )
    expect(own.exitCode).not.toBe(0)
    expect(own.denials).toMatchObject([
      { operation: 'write', path: expect.stringMatching(/coredump_filter$/), count: 1 },
    ])
    const alone = await run('echo 0x7f > /proc/self/coredump_filter; cat /proc/self/coredump_filter')
    expect([shorts(alone), alone.stdout]).toEqual([[], before])
    expect(existsSync('/tmp/hsperfdata_vitrine')).toBe(false)
  })
})

describe.runIf(isInstalled('git'))('git', () => {
  let cwd: string
  beforeAll(() => {
    cwd = makeDirectory()
    fillFixture(cwd)
  })

  it('status tries no lock', async () => {
    const shell = await openTestShell({ cwd, mode: 'read' })
    expect(shorts(await shell.execute({ command: 'git status; git diff' }))).toEqual([])
  })

  it('commit is refused its lock, and that is told', async () => {
    const shell = await openTestShell({ cwd, mode: 'read' })
    const result = await shell.execute({
      command: 'git -c user.name=a -c user.email=a@example.com commit -am x',
    })
    expect(shorts(result)).toContain(`create ${cwd}/.git/index.lock`)
    expect(result.failure?.kind).toBe('permission-denied')
  })
})
