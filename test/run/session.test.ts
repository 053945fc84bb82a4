// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the shell's expansions
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Approver } from '../../src/index.ts'
import { freshState } from '../../src/request/state.ts'
import type { Session } from '../../src/run/session/session.ts'
import { makeLine } from '../../src/run/session/taken.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'
import { isExecutable } from '../helpers/programs.ts'

const hasBash = isExecutable('/bin/bash')
const each = describe.each(hasBash ? ['sh', 'bash'] : ['sh'])

async function out(session: Session, command: string): Promise<string> {
  return (await session.execute({ command })).output
}

async function open(program: string, options: Parameters<typeof openTestShell>[0] = {}) {
  const shell = await openTestShell({ program, cwd: makeDirectory(), ...options })
  return { shell, session: shell.session() }
}

each('a session of %s', (program) => {
  it.each([
    ['the directory', 'mkdir -p a; cd a', 'basename "$PWD"', 'a\n'],
    ['the directory before', 'cd /usr; cd /', '(cd -)', '/usr\n'],
    ['a variable, whatever it holds', 'x="a  b\n\'c\\" \\$d"', 'printf "<%s>" "$x"', '<a  b\n\'c" $d>'],
    ['an exported variable', 'export X=1', 'sh -c "echo \\$X"', '1\n'],
    ['that a variable is set and empty', 'x=', 'echo ${x-unset}.', '.\n'],
    ['that a variable is unset', 'unset HOME', 'echo ${HOME-unset}', 'unset\n'],
    ['that a variable is changed', 'PATH=/nowhere:$PATH', 'sh -c "echo \\${PATH%%:*}"', '/nowhere\n'],
    ['a variable that cannot change', 'readonly r=1', '(r=2) 2>/dev/null; echo $r', '1\n'],
    ['the umask', 'umask 027', 'umask', '0027\n'],
    ['an option', 'set -f', 'echo /us[r]', '/us[r]\n'],
    ['a function', 'f() { echo "f $1"; }', 'f x', 'f x\n'],
    ['a function of several lines', 'f() {\n  cat <<E\n$1 }\nE\n}', 'f x', 'x }\n'],
    ['what a line ends with by exit', 'x=1; exit 3', 'echo $x', '1\n'],
    ['what a failing line ends with', 'set -e; x=1; false; x=2', 'echo $x', '1\n'],
    ['what a line ends with that has a trap for EXIT', 'trap "echo bye" EXIT; x=1', 'echo $x', '1\n'],
  ])('keeps %s', async (_, first, second, expected) => {
    const { session } = await open(program, { mode: 'workspace' })
    expect((await session.execute({ command: first })).session).toMatchObject({ kept: true })
    expect(await out(session, second)).toBe(expected)
    // And once more: what is restored is taken again.
    expect(await out(session, second)).toBe(expected)
  })

  it('keeps the name by which it came to a directory', async () => {
    const { session, shell } = await open(program)
    mkdirSync(join(shell.cwd, 'real'))
    symlinkSync('real', join(shell.cwd, 'link'))
    await session.execute({ command: 'cd link' })
    expect(session.cwd).toBe(join(shell.cwd, 'link'))
    expect(await out(session, 'pwd; cd ..; pwd')).toBe(`${join(shell.cwd, 'link')}\n${shell.cwd}\n`)
  })

  it('forgets what is removed', async () => {
    const { session } = await open(program)
    await session.execute({ command: 'x=1; export Y=2; f() { :; }; alias g=ls; set -f; umask 077' })
    await session.execute({ command: 'unset x Y; unset -f f; unalias g; set +f' })
    expect(session.state).toMatchObject({
      variables: {},
      functions: {},
      aliases: {},
      options: [],
      umask: '0077',
    })
    expect(session.state.env).not.toHaveProperty('Y', '2')
  })

  it('keeps an alias', async () => {
    const { session } = await open(program)
    const on = program === 'bash' ? 'shopt -s expand_aliases; ' : ''
    await session.execute({ command: `${on}alias g="echo it\\\\'s"` })
    expect(await out(session, 'g x')).toBe("it's x\n")
    expect(await out(session, 'unalias g; alias; echo $?')).toBe('0\n')
  })

  it.each([
    ['exec', 'x=2; exec true'],
    ['a signal', 'x=2; kill -9 $$'],
    ['its deadline', 'x=2; trap "" TERM; sleep 20'],
    ['exit with a trap of its own', 'x=2; trap "echo bye" EXIT; exit 1'],
    ['a state too large', `x=$(head -c 600000 /dev/zero | tr "\\0" x)`],
  ])('stays as it was where a command ends by %s, and says so', async (_, command) => {
    const { session } = await open(program)
    await session.execute({ command: 'x=1' })
    const result = await session.execute({ command, timeoutMs: command.includes('sleep') ? 300 : undefined })
    expect(result).toMatchObject({
      session: { kept: false },
      hint: expect.stringContaining('stays as it was'),
    })
    expect(await out(session, 'echo $x')).toBe('1\n')
  })

  it('takes what a request brings for that command only', async () => {
    const { session } = await open(program)
    await session.execute({ command: 'export A=1 B=1' })
    const own = { cwd: '/usr', env: { A: '2', B: '2', C: '2' } }
    expect(await session.execute({ command: 'pwd; echo $A $B $C; B=3', ...own })).toMatchObject({
      output: '/usr\n2 2 2\n',
    })
    expect(await out(session, 'pwd; echo $A $B ${C-none}')).toBe(`${session.cwd}\n1 3 none\n`)
    expect(session.cwd).not.toBe('/usr')
  })

  it('gives a program without a shell directory and exported variables', async () => {
    const { session } = await open(program)
    await session.execute({ command: 'cd /usr; export X=1' })
    expect(await session.execute({ argv: ['sh', '-c', 'pwd; echo $X; cd /; X=2'] })).toMatchObject({
      output: '/usr\n1\n',
      session: { cwd: '/usr', kept: true },
    })
    expect(await out(session, 'pwd; echo $X')).toBe('/usr\n1\n')
  })

  it('hands its descriptor to nothing that a line starts', async () => {
    const { session } = await open(program)
    const seen = await out(session, 'readlink /proc/self/fd/*; sh -c "echo x >&3" 2>&1')
    expect(seen).not.toMatch(/state/)
    expect(seen).toMatch(/bad file descriptor/i)
  })

  it('runs its commands one after the other', async () => {
    const { session } = await open(program)
    const commands = ['x=1; sleep 0.2', 'x=${x}2', 'x=${x}3', 'echo $x']
    const results = await Promise.all(commands.map((command) => session.execute({ command })))
    expect(results.at(-1)).toMatchObject({ output: '123\n' })
    expect(await session.executeAll(['x=4', 'false', 'x=5'])).toHaveLength(2)
    expect(await out(session, 'echo $x')).toBe('4\n')
  })

  it('does not wait for what a line leaves in the background', async () => {
    const { session } = await open(program, { mode: 'write' })
    const began = Date.now()
    const result = await session.execute({ command: 'x=1; sleep 20 >/dev/null 2>&1 & echo $!' })
    expect(result.session).toMatchObject({ kept: true })
    expect(Date.now() - began).toBeLessThan(10_000)
    process.kill(Number(result.stdout), 'SIGKILL')
  })
})

describe.skipIf(!hasBash)('a session of bash', () => {
  it('keeps arrays, attributes, exported functions, shopt and functions of a file', async () => {
    const { session, shell } = await open('bash')
    writeFileSync(join(shell.cwd, 'lib.sh'), 'greet() { echo "hello $1"; }\n')
    const first =
      "a=(1 'b c' $'d\\ne'); declare -A m=([k]=v ['a b']=1); declare -i n=5; . ./lib.sh; export -f greet; shopt -s extglob"
    expect(await session.execute({ command: first })).toMatchObject({ exitCode: 0, session: { kept: true } })
    const second =
      'printf "<%s>" "${a[@]}" "${m[k]}" "${m[a b]}"; n+=1; echo $n; bash -c "greet x"; case aa in +(a)) echo ext;; esac'
    expect(await out(session, second)).toBe('<1><b c><d\ne><v><1>6\nhello x\next\n')
  })
})

describe.skipIf(!hasBash)('what a state would run or hide before the next line does not carry over', () => {
  it.each([
    ['a number that names code', "x='a[$(echo run >&2)]'; n=x; declare -i n"],
    ['every word as an assignment', 'set -k; trap() { echo run; }; builtin() { echo run; }'],
  ])('%s', async (_, first) => {
    const { session } = await open('bash')
    await session.execute({ command: first })
    expect(await out(session, 'sh -c "echo ${A-none}" A=run')).toBe('none\n')
    expect(session.state).toMatchObject({ options: [], functions: {}, declarations: {} })
  })
})

it('a directory whose name is no UTF-8 is not kept, and the hint says so', async () => {
  const { session, shell } = await open('sh', { mode: 'write' })
  const command = 'd=$(printf \'a\\377\'); mkdir "$d"; cd "$d"; x=1'
  expect(await session.execute({ command })).toMatchObject({ hint: expect.stringContaining('the directory') })
  expect(await out(session, 'pwd; echo $x')).toBe(`${shell.cwd}\n1\n`)
})

describe('a session of dash', () => {
  it('says that it does not see what a file defines', async () => {
    const { session, shell } = await open('/bin/dash')
    writeFileSync(join(shell.cwd, 'lib.sh'), 'greet() { echo hello; }; x=1\n')
    expect(await session.execute({ command: '. ./lib.sh; greet' })).toMatchObject({
      output: 'hello\n',
      hint: expect.stringContaining('Functions'),
    })
    expect(await out(session, 'echo $x; greet 2>/dev/null || echo none')).toBe('1\nnone\n')
  })

  it('says which function it does not keep, where it is not known which text has defined it', async () => {
    const { session } = await open('/bin/dash')
    const command = 'if true; then f() { echo a; }; else f() { echo b; }; fi; f'
    expect(await session.execute({ command })).toMatchObject({
      output: 'a\n',
      hint: expect.stringContaining('the function f'),
    })
  })
})

describe('a state', () => {
  it('begins anew in a looser mode, and says so', async () => {
    const { session, shell } = await open('sh', { mode: 'workspace' })
    expect(await out(session, 'x=1; cd /usr')).toBe('')
    shell.mode = 'read'
    expect(await out(session, 'echo $x; pwd; y=2')).toBe('1\n/usr\n')
    shell.mode = 'workspace'
    const result = await session.execute({ command: 'echo ${x-none} ${y-none}; pwd' })
    expect(result).toMatchObject({
      output: `none none\n${shell.cwd}\n`,
      hint: expect.stringContaining('anew'),
    })
    expect((await session.execute({ command: 'true' })).hint).toBeUndefined()
  })

  it('is not begun anew where there is none', async () => {
    const { session, shell } = await open('sh')
    await session.execute({ command: 'ls' })
    shell.mode = 'write'
    expect((await session.execute({ command: 'ls' })).hint).toBeUndefined()
  })

  it('holds no variable of the private directory', async () => {
    const { session } = await open('sh', { mode: 'workspace' })
    expect(await out(session, 'x=1; test -d "$TMPDIR" && echo there')).toBe('there\n')
    expect(session.state).toMatchObject({ env: {}, variables: { x: '1' } })
  })

  it('belongs to the shell that has left it', async () => {
    const { session } = await open('/bin/dash')
    await session.execute({ command: 'x=1' })
    if (hasBash)
      await expect(session.execute({ command: 'echo $x', program: 'bash' })).rejects.toMatchObject({
        code: 'INVALID_REQUEST',
      })
    await expect(session.execute({ command: 'echo $x', program: '/bin/cat' })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
    })
  })
})

describe('the policy sees what a session has defined', () => {
  it.each([
    ['an alias', 'g origin', { aliases: { g: 'git push' } }],
    ['an alias of its first words', 'g status; g push', { aliases: { g: 'git' } }],
    ['an alias of an alias', 'p', { aliases: { g: 'git', p: 'g push' } }],
    ['an alias of itself', 'git push', { aliases: { git: 'git -P' } }],
    ['a function', 'f', { functions: { f: 'f() { git push; }' } }],
    ['a function that one calls', 'true && g', { functions: { f: 'f() { git push; }', g: 'g() { f; }' } }],
    ['a function with the name of a program', 'x=$(ls)', { functions: { ls: 'ls() { git push; }' } }],
    ['a function in a trap', 'trap f EXIT', { functions: { f: 'f() { git push; }' } }],
  ])('%s', async (_, command, defined) => {
    for (const mode of ['read', 'write'] as const) {
      const shell = await openTestShell({
        toml: '[policy]\ndeny = ["git push"]\n',
        mode,
        program: '/bin/dash',
      })
      const session = shell.session({ ...shell.session().state, ...defined, shell: 'dash', mode })
      await expect(session.execute({ command })).rejects.toMatchObject({ code: 'DENIED' })
      expect(await session.execute({ command: 'true' })).toMatchObject({ exitCode: 0 })
    }
  })

  it('in the question, which shows the line as it is given', async () => {
    const questions: string[][] = []
    const approver: Approver = async ({ command }, { matches }) => {
      questions.push([
        command,
        ...matches.filter(({ source }) => source === 'the session').map(({ why }) => why),
      ])
      return 'same'
    }
    const { session } = await open('/bin/dash', { mode: 'write', approver })
    await session.execute({ command: 'd=a; other=b; f() { touch "$d"; }' })
    await session.execute({ command: 'f' })
    await session.execute({ command: 'f' })
    await session.execute({ command: 'd=b; true >/dev/null' })
    await session.execute({ command: 'f' })
    expect(questions.map(([command]) => command)).toEqual([questions[0]?.[0], 'f', 'f'])
    expect(questions[1]).toEqual(['f', 'f() { touch "$d"; }', 'd=a'])
  })

  it('a line that runs held changes what the policy reads, but defines nothing', async () => {
    const asked: string[] = []
    const approver: Approver = async ({ command }) => {
      asked.push(command)
      return 'no'
    }
    const { session, shell } = await open('/bin/dash', { mode: 'write', approver })
    mkdirSync(join(shell.cwd, 'a'))
    const held = await session.execute({ command: 'cd a' })
    expect(held).toMatchObject({
      mode: 'read',
      decision: { held: true },
      session: { cwd: join(shell.cwd, 'a') },
    })
    expect(session.state).toMatchObject({ functions: {}, aliases: {} })
    expect(asked).toEqual([])
  })

  // What is on the safe list could write to the shell's own descriptor what it likes.
  it('also where a line that was let through unasked has written the state itself', () => {
    const listing = (aliases: string) => ['/\n', '0022\n', '', '', '', '', '', '', aliases, 'end']
    const forged = Buffer.from(`${[...listing(''), ...listing("alias g='rm'\n")].join('\0')}\0`)
    const line = makeLine({ shell: 'bash', name: 'bash', line: 'awk 1', state: freshState('/') })
    expect(line.taken(forged, false).state?.aliases).toEqual({ g: 'rm' })
    expect(line.taken(forged, true).state?.aliases).toEqual({})
  })

  it('that a variable chooses what a program loads', async () => {
    const asked: string[] = []
    const approver: Approver = async (_, { reason }) => {
      asked.push(reason)
      return 'yes'
    }
    const { session } = await open('sh', { mode: 'write', approver, toml: '[policy]\nallow = ["touch"]\n' })
    await session.execute({ command: 'touch a' })
    expect(asked).toEqual([])
    await session.execute({ command: 'export LD_PRELOAD=./evil.so' })
    await session.execute({ command: 'touch b' })
    expect(asked.at(-1)).toContain('LD_PRELOAD')
  })
})

it('a state that was left is the state of the session that goes on from it', async () => {
  const { session, shell } = await open('sh')
  await session.execute({ command: 'cd /usr; x=1; f() { echo f; }' })
  const state = JSON.parse(JSON.stringify(session.state))
  expect(await out(shell.session(state), 'pwd; echo $x; f')).toBe('/usr\n1\nf\n')
})
