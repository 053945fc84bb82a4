import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { nobody, whyNot } from '../helpers/other-users.ts'
import { makeDirectory } from '../helpers/place.ts'
import { Home, type Ran } from './vitrine.ts'

const home = new Home()
const there = join(home.directory, 'there')
writeFileSync(there, '')

function expectRefusal(ran: Ran, said: string) {
  expect(ran).toMatchObject({ code: 125, stdout: '' })
  for (const line of ran.stderr.trimEnd().split('\n')) expect(line).toMatch(/^vitrine: /)
  expect(ran.stderr).toContain(said)
  expect(ran.stderr).not.toMatch(/^vitrine: +at /m)
}

describe('refused with 125, a reason on stderr and nothing on stdout:', () => {
  test.each([
    ['no "--"', ['run', 'ls', '-la'], '`vitrine run -- ls -la`'],
    [
      'no "--", with options',
      ['run', '--write', '--cwd', '/', "it's"],
      "`vitrine run --write --cwd / -- 'it'\\''s'`",
    ],
    ['no command', ['run', '--'], 'The command is missing'],
    ['nothing at all', ['run'], 'The command is missing'],
    ['an empty command', ['run', '--', ''], 'empty'],
    ['a blank command', ['run', '--', ' \t\n'], 'empty'],
    ['an empty program', ['run', '--', '', 'x'], 'empty'],
    ['an unknown option', ['run', '--timout', '5s', '--', 'ls'], 'did you mean "--timeout"?'],
    ['an unknown short option', ['run', '-x', '--', 'ls'], '"-x" is no option'],
    ['an unknown command', ['rnu', '--', 'ls'], 'did you mean "vitrine run"?'],
    [
      'a command in place of one of ours',
      ['ls', '-la', 'a b'],
      "did you mean `vitrine run -- ls -la 'a b'`?",
    ],
    ['help on what there is not', ['help', 'rnu'], 'did you mean "run"?'],
    ['an option in place of a command', ['--wirte'], '"--wirte" is no option'],
    ['a missing value', ['run', '--timeout'], '--timeout needs a value'],
    ['an option as value', ['run', '--cwd', '--json=', '--', 'ls'], '--cwd needs a value'],
    ['a value for a flag', ['run', '--write=no', '--', 'ls'], '--write takes no value'],
    ['timeout 0', ['run', '--timeout', '0', '--', 'ls'], '"--timeout" must be a time above 0'],
    ['a negative timeout', ['run', '--timeout', '-5s', '--', 'ls'], '"--timeout" must be a time above 0'],
    ['a timeout that is no number', ['run', '--timeout=NaN', '--', 'ls'], 'not "NaN"'],
    ['a timeout with a wrong unit', ['run', '--timeout', '5 parsecs', '--', 'ls'], 'not "5 parsecs"'],
    ['a missing directory', ['run', '--cwd', '/nowhere', '--', 'ls'], '/nowhere does not exist'],
    ['a file as directory', ['run', '--cwd', there, '--', 'ls'], 'is not a directory'],
    ['a scratchpad name that is a path', ['run', '--scratchpad', '../x', '--', 'ls'], '"scratchpad" must be'],
    ['a missing config file', ['run', '--config', '/nowhere.toml', '--', 'ls'], '/nowhere.toml'],
    ['a directory as config file', ['run', '--config', '/', '--', 'ls'], 'it is a directory'],
    ['a command under config that there is not', ['config', 'shw'], 'did you mean "show"?'],
    ['no command under config', ['config'], 'needs one of show, path, init, trust, schema'],
    ['a word too many', ['config', 'path', 'x'], '"x" is one word too many'],
    ['a word too many for doctor', ['doctor', 'x'], '"x" is one word too many'],
    ['--pty without a terminal', ['run', '--pty', '--', 'ls'], '--pty needs a terminal'],
    ['--pty with --each', ['run', '--pty', '--each', '--', 'ls'], 'does not go together with --each'],
    ['a backend that there is not', ['run', '--backend', 'podman', '--', 'ls'], 'not "podman"'],
    [
      'a backend for the rules, which are the same everywhere',
      ['policy', 'list', '--backend', 'docker'],
      '--backend would change nothing here: it is an option of "vitrine run", "vitrine shell", "vitrine policy check", ' +
        '"vitrine mcp", "vitrine mcp install" and "vitrine doctor".',
    ],
    [
      'a backend for the configuration',
      ['config', 'show', '--backend', 'docker'],
      'would change nothing here',
    ],
    ['a backend for saved output', ['scratchpad', 'list', '--backend=docker'], 'would change nothing here'],
    ['a backend that mcp does not have', ['mcp', '--backend', 'podman'], 'not "podman"'],
    ['one that would be entered', ['mcp', 'install', 'codex', '--backend', 'podman'], 'not "podman"'],
    [
      'one that policy check does not have',
      ['policy', 'check', '--backend', 'podman', '--', 'ls'],
      '"podman"',
    ],
    ['one that doctor does not have', ['doctor', '--backend', 'podman'], 'not "podman"'],
    ['a workspace that is empty', ['mcp', '--workspace', ''], '--workspace needs a value'],
    ['a verb that docker does not have', ['docker', 'built'], 'did you mean "build"?'],
    ['an unknown option of config', ['config', 'show', '--jsn'], 'did you mean "--json"?'],
  ])('%s', async (_, args, said) => {
    expectRefusal(await home.run(args), said)
  })
})

test('a command longer than the kernel takes is refused', async () => {
  // The longest argument that we can be given ourselves, execve(2). The dash costs vitrine one byte more.
  expectRefusal(await home.run(['run', '--', `-${'x'.repeat(131_070)}`]), 'larger than the kernel takes')
})

test('values of the configuration are refused with their place', async () => {
  home.configure('[shell]\ntimeout_ms = "soon"\n')
  const ran = await home.run(['run', '--', 'ls'])
  home.configure('')
  expectRefusal(ran, 'config.toml:2:14: shell.timeout_ms: wanted an integer')
  expect(ran.stderr).toContain('^')
})

test('escape sequences in what the caller wrote do not reach the terminal', async () => {
  for (const args of [['\u001b[2J'], ['run', '\u001b[2J'], ['config', '\u001b[2J']])
    expect((await home.run(args)).stderr).not.toContain('\u001b')
})

describe('in a directory that was deleted', () => {
  const gone = (args: string) => home.shell(`mkdir gone && cd gone && rmdir ../gone && vitrine ${args}`)

  test.each([
    ['run -- ls'],
    ['run --cwd x -- ls'],
    ['run --workspace x --write -- ls'],
    ['config show'],
    ['config trust x'],
    ['policy check -- ls'],
    ['policy list'],
    ['mcp </dev/null'],
    ['shell </dev/null'],
  ])('vitrine %s says so', async (args) => {
    const ran = await gone(args)
    expect(ran.code).toBe(125)
    expect(ran.stderr).toContain('The current directory does not exist any more')
    expect(ran.stderr).not.toMatch(/mistake in vitrine|^\s+at /m)
  })

  test('a command runs in one that is named', async () => {
    expect(await gone('run --cwd / -- pwd')).toMatchObject({ code: 0, stdout: '/\n', stderr: '' })
  })
})

describe('a timeout above the maximum', () => {
  test.each([
    [['run', '--timeout', '20m', '--', 'echo x']],
    [['run', '--timeout', '20m', '--json', '--', 'echo x']],
    [['shell', '--timeout', '20m']],
  ])('is lowered, and said: %j', async (args) => {
    const ran = await home.run(args)
    expect(ran).toMatchObject({
      code: 0,
      stderr:
        'vitrine: --timeout 1200000 ms is over the maximum: 600000 ms ([shell] max_timeout_ms) are used.\n',
    })
  })
})

const asRoot = process.getuid?.() === 0
const reason = asRoot ? whyNot(nobody) : null

describe.skipIf(reason)(`an ordinary user${reason ? `: ${reason}` : ''}`, () => {
  const place = makeDirectory()
  chmodSync(place, 0o755)
  const closed = join(place, 'closed')
  mkdirSync(closed, { mode: 0o000 })
  const unreadable = join(place, 'unreadable.toml')
  writeFileSync(unreadable, '', { mode: 0o000 })
  const run = (...args: string[]) => home.run(args, { cwd: place, ...(asRoot ? { uid: nobody.uid } : {}) })

  test('cannot run a command in a directory that is closed to him', async () => {
    expectRefusal(await run('run', '--cwd', closed, '--', 'ls'), 'cannot be entered: permission denied')
  })

  test('cannot use a config file that is closed to him', async () => {
    expectRefusal(await run('run', '--config', unreadable, '--', 'ls'), 'no permission to read it')
  })
})

test('nothing of all this has left a state directory', () => {
  expect(existsSync(join(home.directory, '.state'))).toBe(false)
})
