import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { errorOf, Home, invalid, misused } from './vitrine.ts'

const home = new Home()
const there = join(home.directory, 'there')
writeFileSync(there, '')

const noPodman = '--backend takes local (this machine) or docker (a container), not "podman".'

describe('a command line that cannot be understood is refused with 125 and one message on stderr', () => {
  // Without blanks in words, which `args` divides.
  it.each([
    ['run ls -la', 'Put the command after "--": `vitrine run -- ls -la`.'],
    ["run --write --cwd / it's", '`vitrine run --write --cwd / -- '],
    ['run --', 'The command is missing.'],
    ['run', 'The command is missing.'],
    ['run --timeout', '--timeout needs a value.'],
    ['run --cwd --json= -- ls', '--cwd needs a value.'],
    ['run --write --cwd= -- touch made', '--cwd needs a value.'],
    ['run --config= -- ls', '--config needs a value.'],
    ['run --allow-host *.com -- ls', '"*.com", a public suffix'],
    ['run --write=no -- ls', '--write takes no value.'],
    ['config shw', 'has no "shw"; did you mean "show"?'],
    ['config', 'needs one of: show, path, init, trust, schema.'],
    ['config path x', '"x" is unexpected; see "vitrine config --help".'],
    ['run --write --network -- touch ran', 'which has no sandbox: --network.'],
    ['run --write --workspace . -- touch ran', 'which has no sandbox: --workspace.'],
    ['run --mode write --allow-host a.b --private-tmp -- ls', 'no sandbox: --allow-host, --private-tmp.'],
    ['mcp --mode write --network', 'which has no sandbox: --network.'],
    ['run --json=fully -- ls', '--json=full'],
    ['run --keep-going -- ls', '--keep-going needs --each'],
    ['run --env =x -- ls', '--env'],
    ['run --env= -- ls', '--env'],
    ['run --env -- ls', '--env'],
    ['config init /dev/null/own.toml', '/dev/null/own.toml: cannot be written (ENOTDIR)'],
    ['config trust', 'There is no project file to trust'],
    ['config trust .vitrine.toml', 'it does not exist'],
    ['config trust other.toml', 'is not a project file'],
    ['run --pty -- ls', '--pty needs a terminal'],
    ['run --pty --each -- ls', 'it cannot be combined with --each'],
    ['run --backend podman -- ls', noPodman],
    ['mcp --backend podman', noPodman],
    ['policy', 'needs one of: check, list.'],
    ['policy chek', 'did you mean "check"?'],
    ['policy list x', '"x" is unexpected'],
    ['docker built', 'has no "built"; did you mean "build"?'],
    ['rnu -- ls', '"rnu" is not a command of vitrine; did you mean "vitrine run"?'],
    ["ls -la it's", "did you mean `vitrine run -- ls -la 'it'\\''s'`?"],
    ['--wirte', '"--wirte" is not an option.'],
    ['help rnu', 'There is no help on "rnu"; did you mean "run"?'],
  ])('%s', async (args, detail) => {
    expect(await home.run(args.split(' '))).toMatchObject(misused(detail))
  })

  it.each([
    ['run --timout 5s -- ls', { field: '--timout', nearest: '--timeout' }],
    ['run -x -- ls', { field: '-x' }],
    ['run -json -- ls', { field: '-json', nearest: '--json' }],
    ['policy list --backend docker', { field: '--backend' }],
    ['config show --jsn', { field: '--jsn', nearest: '--json' }],
  ])('%s', async (args, option) => {
    const words = args.split(' ')
    expect(await home.run(words)).toMatchObject(invalid({ kind: 'unknown-option', ...option }, words[0]))
  })
})

describe('a request that cannot be carried out is refused with 125', () => {
  const timeouts = ['0', '-5s', 'NaN', '5 parsecs']

  it.each<readonly [readonly string[], object]>([
    ...['', ' \t\n'].map((line) => [['--', line], { kind: 'blank-command' }] as const),
    [['--', '', 'x'], { kind: 'blank-command' }],
    ...timeouts.map((time) => [['--timeout', time, '--', 'ls'], { got: `"${time}"` }] as const),
    [['--cwd', '/nowhere', '--', 'ls'], { path: '/nowhere', reason: 'missing' }],
    [['--cwd', there, '--', 'ls'], { path: there, reason: 'not-a-directory' }],
    [['--scratchpad', '../x', '--', 'ls'], { field: 'scratchpad' }],
  ])('%j', async (args, problem) => {
    const ran = await home.run(['run', '--json', ...args])
    expect(ran).toMatchObject({ code: 125, stderr: '' })
    expect(errorOf(ran)).toMatchObject({ code: 'INVALID_REQUEST', problem })
  })
})

it('escape sequences in what the caller wrote do not reach the terminal', async () => {
  for (const args of [['\u001b[2J'], ['run', '\u001b[2J'], ['config', '\u001b[2J']])
    expect((await home.run(args)).stderr).not.toContain('\u001b')
})

describe('in a directory that was deleted', () => {
  const gone = (args: string) => home.shell(`mkdir gone && cd gone && rmdir ../gone && vitrine ${args}`)

  it.each([
    ...['run -- ls', 'run --cwd x -- ls', 'run --workspace x --write -- ls', 'config show', 'config trust x'],
    ...['policy check -- ls', 'policy list', 'mcp </dev/null', 'shell </dev/null'],
  ])('vitrine %s says so', async (args) => {
    const problem = { kind: 'cwd', path: '', reason: 'deleted' } as const
    expect(await gone(args)).toMatchObject(invalid(problem, args.split(' ')[0]))
  })
})

it('nothing of all this has left a state directory', () => {
  expect(existsSync(join(home.directory, '.state'))).toBe(false)
})
