import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { isInstalled } from '../helpers/programs.ts'
import { Tmux } from '../helpers/tmux.ts'
import { Home, type Ran } from './vitrine.ts'

const home = new Home()
const inside = (name: string) => join(home.directory, name)
mkdirSync(inside('one two/three'), { recursive: true })
writeFileSync(inside('kept'), 'as it was\n')

function piped(lines: readonly string[], args: readonly string[] = []): Promise<Ran> {
  return home.run(['shell', ...args], { input: `${lines.join('\n')}\n` })
}

describe('lines from a pipe', () => {
  test('are run one after the other, each by a shell of its own', async () => {
    const ran = await piped(['echo one', 'X=1', 'echo "two$X"', 'echo three >&2', '# nothing', '', 'false'])
    expect(ran).toEqual(expect.objectContaining({ stdout: 'one\ntwo\n', stderr: 'three\n', code: 1 }))
  })

  test('begin in read mode, change it, and go back', async () => {
    const ran = await piped(['rm kept', ':write', 'echo changed >made', ':read', 'rm made', 'cat made'])
    expect(ran.stdout).toBe('changed\n')
    expect(ran.stderr).toContain('vitrine: refused to delete')
    expect(ran.stderr).toContain('vitrine: write mode')
    expect(readFileSync(inside('kept'), 'utf8')).toBe('as it was\n')
    expect(existsSync(inside('made'))).toBe(true)
  })

  test('keep the directory', async () => {
    const lines = [
      'cd "one two"',
      'pwd',
      'cd thr*',
      'pwd',
      'cd -',
      'pwd',
      'cd -',
      'pwd',
      'cd',
      'pwd',
      'cd one\\ two/..',
      'pwd',
    ]
    const ran = await piped(lines)
    const below = ['one two', 'one two/three', 'one two', 'one two/three'].map(inside)
    expect(ran.stdout.split('\n')).toEqual([...below, home.directory, home.directory, ''])
    expect(ran.code).toBe(0)
  })

  test('a directory that is not there is said, and the next line runs', async () => {
    const ran = await piped(['cd nowhere', 'pwd', 'exit 7', 'echo never'])
    expect(ran.stderr).toMatch(/nowhere/)
    expect(ran).toMatchObject({ stdout: `${home.directory}\n`, code: 7 })
  })

  test('a cd among other things is a command, and leads nowhere', async () => {
    const ran = await piped(['cd "one two" && pwd', 'pwd'])
    expect(ran.stdout).toBe(`${inside('one two')}\n${home.directory}\n`)
  })

  test('are not read by the commands', async () => {
    expect((await piped(['cat', 'echo still here'])).stdout).toBe('still here\n')
  })

  test('what is refused has exit code 125, and the next line runs', async () => {
    home.configure('[policy]\ndeny = ["zap"]\n')
    const ran = await piped(['zap', 'echo next', ':rite', 'exit 1 2'])
    home.configure('')
    expect(ran.stdout).toBe('next\n')
    expect(ran.stderr).toMatch(/zap/)
    expect(ran.stderr).toContain(':rite')
    expect(ran.stderr).toContain('exit takes one number')
    expect(ran.code).toBe(125)
  })

  test('--write begins in write mode, --timeout ends a command', async () => {
    const ran = await piped(
      [':help', 'echo x >>written', 'sleep 60', 'echo after'],
      ['--write', '--timeout', '300ms'],
    )
    expect(ran.stdout).toContain('cd [DIR]')
    expect(ran.stdout).toMatch(/after\n$/)
    expect(ran.stderr).toMatch(/timed out/)
    expect(existsSync(inside('written'))).toBe(true)
  })

  test.each([[['--pty']], [['word']], [['--timeout', 'soon']]])(
    'vitrine shell %j is refused',
    async (args) => {
      const ran = await piped(['echo never'], args)
      expect(ran).toMatchObject({ code: 125, stdout: '' })
    },
  )
})

const missing = isInstalled('tmux') ? '' : ' (tmux is not installed)'
describe.skipIf(missing !== '')(`in a terminal${missing}`, () => {
  let terminal: Tmux
  beforeEach(async () => {
    terminal = new Tmux(home.env, home.directory)
    terminal.line('"$NODE_PROGRAM" "$CLI_PROGRAM" shell; echo "code $?"; stty -a | grep -o " icanon"')
    await terminal.shows(/^read ~>/m)
  })

  test('the prompt tells mode and directory', async () => {
    terminal.line('cd "one two"')
    await terminal.shows(/^read ~\/one two>$/m)
    terminal.line(':write')
    await terminal.shows(/^write ~\/one two>$/m)
    expect(terminal.coloured()).toContain('\u001b[31m')
    terminal.line('exit 3')
    await terminal.shows(/code 3\n icanon/)
  })

  test('commands have a terminal, one after the other, and it is given back', async () => {
    for (const round of [1, 2, 3]) {
      terminal.line(`test -t 0 && test -t 1 && stty size && echo "round "${round}`)
      await terminal.shows(new RegExp(`^24 80\\nround ${round}$`, 'm'))
    }
    terminal.line('read answer; echo "got $answer"')
    terminal.line('typed to it')
    await terminal.shows('got typed to it')
    terminal.key('C-d')
    await terminal.shows(/code 0\n icanon/)
  })

  test('Ctrl+C ends a command, or gives up a line, and the shell stays', async () => {
    terminal.line('echo begun; sleep 60')
    await terminal.shows(/^begun/m)
    terminal.key('C-c')
    await terminal.shows(/begun\n(.*\n)*read ~>$/)
    terminal.type('not this')
    terminal.key('C-c')
    await terminal.shows(/not this\^C\nread ~>$/)
    terminal.line('echo st""ill')
    await terminal.shows(/^still$/m)
  })

  test('what was refused is said behind the command', async () => {
    terminal.line('rm kept')
    await terminal.shows(/vitrine: refused to delete/)
    await terminal.shows(/read ~>$/)
    expect(readFileSync(inside('kept'), 'utf8')).toBe('as it was\n')
  })

  test('Tab completes paths, the arrow brings the last line back', async () => {
    terminal.type('ls -d one')
    terminal.key('Tab')
    await terminal.shows('ls -d one\\ two/')
    terminal.type('th')
    terminal.key('Tab')
    await terminal.shows('ls -d one\\ two/three/')
    terminal.key('Enter')
    await terminal.shows(/^'?one two\/three/m)
    terminal.key('Up')
    await terminal.shows(/read ~> ls -d one\\ two\/three\/$/)
  })
})
