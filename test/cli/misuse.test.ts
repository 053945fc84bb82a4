import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { nobody, whyNot } from '../helpers/other-users.ts'
import { makeDirectory } from '../helpers/place.ts'
import { errorOf, Home, invalid, misused } from './vitrine.ts'

const home = new Home()
const there = join(home.directory, 'there')
writeFileSync(there, '')

describe('a command line that cannot be understood is refused with 125 and one message on stderr', () => {
  it.each([
    ['no "--"', ['run', 'ls', '-la'], 'Put the command after "--": `vitrine run -- ls -la`.'],
    ['no "--", with options', ['run', '--write', '--cwd', '/', "it's"], '`vitrine run --write --cwd / -- '],
    ['no command', ['run', '--'], 'The command is missing.'],
    ['nothing at all', ['run'], 'The command is missing.'],
    ['a missing value', ['run', '--timeout'], '--timeout needs a value.'],
    ['an option as value', ['run', '--cwd', '--json=', '--', 'ls'], '--cwd needs a value.'],
    [
      'a wildcard over a public suffix',
      ['run', '--allow-host', '*.com', '--', 'ls'],
      '"*.com", a public suffix',
    ],
    ['a value for a flag', ['run', '--write=no', '--', 'ls'], '--write takes no value.'],
    ['a command under config that there is not', ['config', 'shw'], 'has no "shw"; did you mean "show"?'],
    ['no command under config', ['config'], 'needs one of: show, path, init, trust, schema.'],
    ['a word too many', ['config', 'path', 'x'], '"x" is unexpected; see "vitrine config --help".'],
    [
      'a network in write mode',
      ['run', '--write', '--network', '--', 'touch', 'ran'],
      'which has no sandbox: --network.',
    ],
    [
      'a workspace in write mode',
      ['run', '--write', '--workspace', '.', '--', 'touch', 'ran'],
      'which has no sandbox: --workspace.',
    ],
    [
      'hosts in write mode',
      ['run', '--mode', 'write', '--allow-host', 'a.example', '--private-tmp', '--', 'touch', 'ran'],
      'which has no sandbox: --allow-host, --private-tmp.',
    ],
    [
      'a network for a server of write mode',
      ['mcp', '--mode', 'write', '--network'],
      'which has no sandbox: --network.',
    ],
    ['--pty without a terminal', ['run', '--pty', '--', 'ls'], '--pty needs a terminal'],
    ['--pty with --each', ['run', '--pty', '--each', '--', 'ls'], 'it cannot be combined with --each'],
    [
      'a backend that there is not',
      ['run', '--backend', 'podman', '--', 'ls'],
      '--backend takes local (this machine) or docker (a container), not "podman".',
    ],
    [
      'a backend for the rules, which are the same everywhere',
      ['policy', 'list', '--backend', 'docker'],
      'it is an option of "vitrine run", "vitrine shell", "vitrine policy check", ',
    ],
    [
      'a backend that mcp does not have',
      ['mcp', '--backend', 'podman'],
      '--backend takes local (this machine) or docker (a container), not "podman".',
    ],
    [
      'a directory that is empty',
      ['run', '--write', '--cwd', '', '--', 'touch made'],
      '--cwd needs a value.',
    ],
    ['a configuration that is empty', ['run', '--config=', '--', 'ls'], '--config needs a value.'],
    ['a verb that docker does not have', ['docker', 'built'], 'has no "built"; did you mean "build"?'],
  ])('%s', async (_, args, detail) => {
    expect(await home.run(args)).toMatchObject(misused(detail))
  })
})

describe('a name that vitrine does not have is refused with 125', () => {
  it.each([
    ['an unknown option', ['run', '--timout', '5s', '--', 'ls'], { field: '--timout', nearest: '--timeout' }],
    ['an unknown short option', ['run', '-x', '--', 'ls'], { field: '-x' }],
    ['a long option with one dash', ['run', '-json', '--', 'ls'], { field: '-json', nearest: '--json' }],
    ['an unknown option of config', ['config', 'show', '--jsn'], { field: '--jsn', nearest: '--json' }],
  ])('%s', async (_, args, option) => {
    expect(await home.run(args)).toMatchObject(invalid({ kind: 'unknown-option', ...option }, args[0]))
  })

  it.each([
    [
      'an unknown command',
      ['rnu', '--', 'ls'],
      '"rnu" is not a command of vitrine; did you mean "vitrine run"?',
    ],
    [
      'a command in place of one of ours',
      ['ls', '-la', 'a b'],
      "did you mean `vitrine run -- ls -la 'a b'`?",
    ],
    ['an option in place of a command', ['--wirte'], '"--wirte" is not an option.'],
    ['help on an unknown command', ['help', 'rnu'], 'There is no help on "rnu"; did you mean "run"?'],
  ])('%s', async (_, args, message) => {
    expect(await home.run(args)).toMatchObject(misused(message))
  })
})

describe('a request that cannot be carried out is refused with 125', () => {
  it.each([
    ['an empty command', ['--', ''], { kind: 'blank-command' }],
    ['a blank command', ['--', ' \t\n'], { kind: 'blank-command' }],
    ['an empty program', ['--', '', 'x'], { kind: 'blank-command' }],
    ['timeout 0', ['--timeout', '0', '--', 'ls'], { field: '--timeout', got: '"0"' }],
    ['a negative timeout', ['--timeout', '-5s', '--', 'ls'], { field: '--timeout', got: '"-5s"' }],
    ['a timeout that is no number', ['--timeout=NaN', '--', 'ls'], { field: '--timeout', got: '"NaN"' }],
    [
      'a wrong unit of time',
      ['--timeout', '5 parsecs', '--', 'ls'],
      { field: '--timeout', got: '"5 parsecs"' },
    ],
    ['a missing directory', ['--cwd', '/nowhere', '--', 'ls'], { path: '/nowhere', reason: 'missing' }],
    ['a file as directory', ['--cwd', there, '--', 'ls'], { path: there, reason: 'not-a-directory' }],
    ['a scratchpad name that is a path', ['--scratchpad', '../x', '--', 'ls'], { field: 'scratchpad' }],
  ])('%s', async (_, args, problem) => {
    const ran = await home.run(['run', '--json', ...args])
    expect(ran).toMatchObject({ code: 125, stderr: '' })
    expect(errorOf(ran)).toMatchObject({ code: 'INVALID_REQUEST', problem })
  })

  it('a wrong value of the configuration, with its place', async () => {
    const file = home.configure('[shell]\ntimeout_ms = "soon"\n')
    const ran = await home.run(['run', '--json', '--', 'ls'])
    home.configure('')
    const place = { file, line: 2, column: 14, key: 'shell.timeout_ms' }
    expect(errorOf(ran)).toMatchObject({ code: 'CONFIG_INVALID', ...place, problem: { kind: 'wrong-type' } })
  })
})

it('escape sequences in what the caller wrote do not reach the terminal', async () => {
  for (const args of [['\u001b[2J'], ['run', '\u001b[2J'], ['config', '\u001b[2J']])
    expect((await home.run(args)).stderr).not.toContain('\u001b')
})

describe('in a directory that was deleted', () => {
  const gone = (args: string) => home.shell(`mkdir gone && cd gone && rmdir ../gone && vitrine ${args}`)

  it.each([
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
    const problem = { kind: 'cwd', path: '', reason: 'deleted' } as const
    expect(await gone(args)).toMatchObject(invalid(problem, args.split(' ')[0]))
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

  it('cannot use a config file that is closed to that user', async () => {
    const ran = await run('run', '--json', '--config', unreadable, '--', 'ls')
    expect(errorOf(ran)).toMatchObject({ code: 'CONFIG_INVALID', problem: { kind: 'unreadable' } })
  })
})

it('nothing of all this has left a state directory', () => {
  expect(existsSync(join(home.directory, '.state'))).toBe(false)
})
