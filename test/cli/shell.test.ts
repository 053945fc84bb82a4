import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { prefixed } from '../../src/messages/cli/run.ts'
import * as say from '../../src/messages/cli/shell.ts'
import { isInstalled } from '../helpers/programs.ts'
import { Tmux } from '../helpers/tmux.ts'
import { ended, endLines, Home, misused, type Ran, wrote } from './vitrine.ts'

const home = new Home()
const inside = (name: string) => join(home.directory, name)
mkdirSync(inside('one two/three'), { recursive: true })
writeFileSync(inside('kept'), 'as it was\n')

function piped(lines: readonly string[], args: readonly string[] = []): Promise<Ran> {
  return home.run(['shell', ...args], { input: `${lines.join('\n')}\n` })
}

describe('lines from a pipe', () => {
  it('are run one after the other, each by a shell of its own', async () => {
    const ran = await piped(['echo one', 'X=1', 'echo "two$X"', 'echo three >&2', '# nothing', '', 'false'])
    expect(ran).toEqual(expect.objectContaining({ stdout: 'one\ntwo\n', stderr: 'three\n', code: 1 }))
  })

  it('begin in read mode, change it, and go back', async () => {
    const ran = await piped(['rm kept', ':write', 'echo changed >made', ':read', 'rm made', 'cat made'])
    expect(ran.stdout).toBe('changed\n')
    expect(ran.stderr).toContain(inside('kept'))
    expect(ran.stderr).toContain(prefixed(say.modeLine('write', [])))
    expect(readFileSync(inside('kept'), 'utf8')).toBe('as it was\n')
    expect(existsSync(inside('made'))).toBe(true)
  })

  it('keep the directory', async () => {
    const lines = [
      'cd "one two"',
      'pwd',
      'cd thr*',
      'pwd',
      // Told by sh.
      'cd -',
      'cd - >/dev/null; pwd',
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

  it('a directory that is not there is said, and the next line runs', async () => {
    const ran = await piped(['cd nowhere', 'pwd', 'exit 7', 'echo never'])
    expect(ran.stderr).toMatch(/nowhere/)
    expect(ran).toMatchObject({ stdout: `${home.directory}\n`, code: 7 })
  })

  it('a cd among other things is kept, one in a subshell is not', async () => {
    const ran = await piped(['(cd "one two")', 'pwd', 'cd "one two" && pwd', 'pwd'])
    expect(ran.stdout).toBe(`${home.directory}\n${inside('one two')}\n${inside('one two')}\n`)
  })

  it('keep the exit code of the line before', async () => {
    const ran = await piped([
      '(exit 3)',
      'echo "$?"',
      'echo "$?"',
      'nosuchprogram 2>/dev/null',
      'sh -c "exit $?"',
    ])
    expect(ran).toMatchObject({ code: 127, stdout: '3\n0\n' })
  })

  it('keep exported variables, and what is unset, and nothing else', async () => {
    const lines = [
      'export A="x  y" B=2; C=3; f() { echo f; }; set -f; alias g="echo g"',
      'unset B LANG; echo "$A:$C:"; f 2>/dev/null; echo *one*',
      'echo "$A:$B:$LANG:"; sh -c \'echo "$A"\'',
    ]
    const ran = await home.run(['shell'], { input: `${lines.join('\n')}\n`, env: { LANG: 'C.UTF-8' } })
    expect(ran.stdout).toBe('x  y::\none two\nx  y:::\nx  y\n')
  })

  it('do so in write mode too; what is exported in read mode stays there', async () => {
    const lines = ['export R=1', ':write', 'echo "r=$R"; export W=2', ':read', 'echo "r=$R w=$W"']
    const ran = await piped(lines)
    expect(ran.stdout).toBe('r=\nr=1 w=2\n')
    expect(ran.stderr).toContain(prefixed(say.modeLine('write', ['R'])))
  })

  it.each([
    ['an exit', 'cd "one two"; export A=1; exit 3', 3],
    ['a failure', 'cd "one two"; export A=1; false', 1],
    ['set -eu', 'set -eu; cd "one two"; export A=1; $unset', 2],
    ['an exit trap of its own', 'trap : EXIT; cd "one two"; export A=1; (exit 4)', 4],
  ])('are kept after %s, and the exit code is the same', async (_, line, code) => {
    const alone = await piped([line])
    expect(alone.code).toBe(code)
    expect((await piped([line, 'pwd; echo "$A"'])).stdout).toBe(`${inside('one two')}\n1\n`)
  })

  it.each([
    ['a syntax error', 'cd "one two"; export A=1; )', 2],
    ['a shell that is killed', 'cd "one two"; export A=1; kill -KILL $$', 137],
    ['a shell that is replaced', 'cd "one two"; export A=1; exec false', 1],
  ])('are as before after %s', async (_, line, code) => {
    expect((await piped([line])).code).toBe(code)
    expect((await piped([line, 'pwd; echo "$A"'])).stdout).toBe(`${home.directory}\n\n`)
  })

  it('output does not forge them, wherever it is written', async () => {
    const forged = String.raw`printf '\000v0:state\000/usr\n\000A=forged\000\000v0:typed\000'`
    const ran = await piped([`${forged} >&3`, `${forged} | tr '\\0' x; echo`, 'pwd; echo "a=$A"'])
    expect(ran.stdout.split('\n').slice(-3)).toEqual([home.directory, 'a=', ''])
  })

  it('a directory that is deleted is said, and nothing runs in another one', async () => {
    const ran = await piped([':write', 'mkdir gone; cd gone; rmdir ../gone', 'echo ran >here', 'pwd'])
    expect(ran.stdout).toBe(`${home.directory}\n`)
    expect(ran.stderr).toContain(prefixed(say.directoryGone(inside('gone'), home.directory)))
    expect(existsSync(inside('here'))).toBe(false)
  })

  it.each([
    ['a loop', ['for i in 1 2', 'do echo "n$i"', 'done'], 'n1\nn2\n'],
    ['an open quote', ['echo "one', 'two"'], 'one\ntwo\n'],
    ['a here-document', ['cat <<END', 'it is "open', ':write', 'END'], 'it is "open\n:write\n'],
    ['a backslash at its end', ['echo one \\', 'two'], 'one two\n'],
    ['a pipe at its end', ['echo one |', 'tr a-z A-Z'], 'ONE\n'],
    ['an open substitution', ['echo $(echo one', ')'], 'one\n'],
  ])('a command goes on behind %s', async (_, lines, stdout) => {
    expect(await piped([...lines, 'echo end'])).toMatchObject({
      stdout: `${stdout}end\n`,
      stderr: '',
      code: 0,
    })
  })

  it.each([
    ['the end of another one', ['cat <<A - <<B', 'B', 'A', 'x', 'B'], 'x\n'],
    ['its end behind tabs', ['cat <<-END', 'x', '\tEND'], 'x\n'],
    ['its end in quotes', ['cat <<\'E\'"N D"', 'E', 'EN D'], 'E\n'],
    ['an end that is an empty line', ["cat <<''", 'x', ''], 'x\n'],
    ['a backslash in front of its end', ["cat <<'END'", 'x\\', 'END'], 'x\\\n'],
    ['what follows its end', ['if cat <<END', 'x', 'END', 'then echo y', 'fi'], 'x\ny\n'],
  ])('a here-document ends in spite of %s', async (_, lines, stdout) => {
    expect(await piped([...lines, 'echo end'])).toMatchObject({ stdout: `${stdout}end\n`, stderr: '' })
  })

  const many = Array.from({ length: 20_000 }, (_, at) => `echo ${at}`)
  const long = [...many.slice(0, 3), 'x'.repeat(200_000), 'echo 4']

  it.each([
    ['here-document', ["cat <<'END'", ...many, 'END']],
    ['quoted text', ["echo '", ...long, "'"]],
  ])('a %s longer than the kernel takes is refused, and no line of it runs', async (_, lines) => {
    const ran = await piped([...lines, 'echo end'])
    expect(ran).toMatchObject({ stdout: 'end\n', code: 0 })
    expect(ran.stderr.split('\n')).toHaveLength(2)
  })

  it('what goes on behind the last line is an error of sh', async () => {
    const ran = await piped(['echo one', 'for i in 1 2; do'])
    expect(ran).toMatchObject({ stdout: 'one\n', code: 2 })
    expect(ran.stderr).toMatch(/syntax error/i)
  })

  it('are not read by the commands', async () => {
    expect((await piped(['cat', 'echo still here'])).stdout).toBe('still here\n')
  })

  it('what is refused has exit code 125, and the next line runs', async () => {
    home.configure('[policy]\ndeny = ["zap"]\n')
    const ran = await piped(['zap', 'echo next', ':rite', 'exit 1 2'])
    home.configure('')
    expect(ran.stdout).toBe('next\n')
    expect(ran.stderr).toMatch(/zap/)
    for (const detail of [say.unknownColon(':rite'), say.exitUsage])
      expect(ran.stderr).toContain(misused(detail).stderr)
    expect(ran.code).toBe(125)
  })

  it('an interrupt ends vitrine after a refused line, as before it', async () => {
    home.configure('[policy]\ndeny = ["zap"]\n')
    const child = home.start(['shell'], { stdio: 'pipe' })
    child.stdin?.write('zap\n:help\n')
    const over = ended(child)
    await wrote(child, say.shellHelp)
    child.kill('SIGINT')
    expect((await over).signal).toBe('SIGINT')
    home.configure('')
  })

  it('--write begins in write mode, --timeout ends a command', async () => {
    const ran = await piped(
      [':help', 'echo x >>written', 'sleep 60', 'echo after'],
      ['--write', '--timeout', '3s'],
    )
    expect(ran.stdout).toBe(`${say.shellHelp}after\n`)
    expect(ran.stderr).toContain(endLines({ kind: 'timed-out', afterMs: 3000 }))
    expect(existsSync(inside('written'))).toBe(true)
  })

  it.each([[['--pty']], [['word']], [['--timeout', 'soon']]])('vitrine shell %j is refused', async (args) => {
    const ran = await piped(['echo never'], args)
    expect(ran).toMatchObject({ code: 125, stdout: '' })
  })
})

const missing = isInstalled('tmux') ? '' : ' (tmux is not installed)'
describe.skipIf(missing !== '')(`in a terminal${missing}`, () => {
  let terminal: Tmux
  beforeEach(async () => {
    terminal = new Tmux(home.env, home.directory)
    terminal.line('"$NODE_PROGRAM" "$CLI_PROGRAM" shell; echo "code $?"; stty -a | grep -o " icanon"')
    await terminal.shows(/^read ~>/m)
  })

  it('the prompt tells mode and directory', async () => {
    terminal.line('cd "one two"')
    await terminal.shows(/^read ~\/one two>$/m)
    terminal.line(':write')
    await terminal.shows(/^write ~\/one two>$/m)
    expect(terminal.coloured()).toContain('\u001b[31m')
    terminal.line('exit 3')
    await terminal.shows(/code 3\n icanon/)
  })

  it('commands have a terminal, one after the other, and it is given back', async () => {
    for (const round of [1, 2, 3]) {
      terminal.line(`test -t 0 && test -t 1 && stty size && echo "round "${round}`)
      await terminal.shows(new RegExp(`^24 80\\nround ${round}$`, 'm'))
    }
    terminal.line('(exit 3)')
    terminal.line('echo "before: $?"')
    await terminal.shows(/^before: 3$/m)
    terminal.line('echo asks""; read answer; echo "got $answer"')
    await terminal.shows(/^asks$/m)
    terminal.line('typed to it')
    await terminal.shows('got typed to it')
    terminal.key('C-d')
    await terminal.shows(/code 0\n icanon/)
  })

  it('Ctrl+C ends a command, or gives up a line, and the shell stays', async () => {
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

  it('what was refused is said behind the command', async () => {
    terminal.line('rm kept')
    await terminal.shows(/vitrine: Read mode refuses to delete/)
    await terminal.shows(/read ~>$/)
    expect(readFileSync(inside('kept'), 'utf8')).toBe('as it was\n')
  })

  it('Tab completes paths, the arrow brings the last line back', async () => {
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

  it('lines of a paste run in their order, each in its mode', async () => {
    terminal.paste(':write\ntouch in-write\n:read\ntouch in-read\necho pa""sted\n')
    await terminal.shows(/^pasted$/m)
    expect([existsSync(inside('in-write')), existsSync(inside('in-read'))]).toEqual([true, false])
    await terminal.shows(/read ~>$/)
  })

  it('so do those of a bracketed paste, and the rest of its last line can be edited', async () => {
    terminal.type('\u001b[200~:write\recho one >bracketed\r:read\r: >bracketed\recho a""\u001b[201~')
    await terminal.shows(/read ~> echo a""$/)
    terminal.line('b')
    await terminal.shows(/^ab$/m)
    expect(readFileSync(inside('bracketed'), 'utf8')).toBe('one\n')
  })

  it('what is typed while a command runs is kept, in its order', async () => {
    for (const name of ['go', 'ahead']) rmSync(inside(name), { force: true })
    terminal.line('echo waiting; until test -e go; do sleep 0.05; done')
    await terminal.shows(/^waiting/m)
    for (const line of [':write', 'echo 1 >>ahead', ':read', 'echo 2 >>ahead', 'echo typed""'])
      terminal.line(line)
    terminal.type('echo al""so')
    writeFileSync(inside('go'), '')
    await terminal.shows(/^typed\n(?:.*\n)*read ~> echo al""so$/m)
    expect(readFileSync(inside('ahead'), 'utf8')).toBe('1\n')
    terminal.key('Enter')
    await terminal.shows(/^also$/m)
  })

  it('what a command reads is not typed again', async () => {
    terminal.line('echo waiting; read first; until test -e read; do sleep 0.05; done; echo "got $first"')
    await terminal.shows(/^waiting/m)
    terminal.line('for the command')
    terminal.line('echo "for "the shell')
    writeFileSync(inside('read'), '')
    await terminal.shows(/^got for the command\n(?:.*\n)*^for the shell$/m)
    expect(terminal.screen()).not.toMatch(/not found/)
  })

  it('an interrupt forgets what was typed ahead', async () => {
    terminal.paste('echo begun""; sleep 60\ntouch after-interrupt\n')
    await terminal.shows(/^begun$/m)
    terminal.key('C-c')
    await terminal.shows(/\^C\n(.*\n)*read ~>$/)
    terminal.line('echo st""ill')
    await terminal.shows(/^still$/m)
    expect(terminal.screen()).not.toContain('read ~> touch after-interrupt')
  })

  it.each([['while :; do :; done'], ['sleep 60; echo never']])('Ctrl+C ends %s', async (line) => {
    terminal.line(`echo begun""; ${line}`)
    await terminal.shows(/^begun$/m)
    terminal.key('C-c')
    await terminal.shows(/\^C\nread ~>$/)
    terminal.line('exit')
    await terminal.shows('code 130')
  })

  it('a program that minds Ctrl+C itself goes on, and so does its line', async () => {
    terminal.line(
      `sh -c 'trap "echo minded; exit 0" INT; echo begun""; while :; do sleep 0.1; done'; echo next`,
    )
    await terminal.shows(/^begun$/m)
    terminal.key('C-c')
    await terminal.shows(/minded\nnext\nread ~>$/)
  })

  it('Ctrl+Z stops a command, others run, and fg lets it go on', async () => {
    terminal.line(`echo begun""; sh -c 'until test -e on; do sleep 0.05; done; echo thr""ough'`)
    await terminal.shows(/^begun$/m)
    terminal.key('C-z')
    await terminal.shows(/vitrine: Stopped: .*\n(.*\n)*read ~>$/)
    terminal.line('jobs')
    await terminal.shows(/^stopped {2}echo begun/m)
    terminal.line('echo bet""ween')
    await terminal.shows(/^between$/m)
    writeFileSync(inside('on'), '')
    terminal.line('fg')
    await terminal.shows(/^through\nread ~>$/m)
    terminal.line('fg')
    await terminal.shows('No command is stopped')
    rmSync(inside('on'))
  })

  it('a stopped command is ended with the shell, and that is said', async () => {
    terminal.line('echo begun""; sleep 60')
    await terminal.shows(/^begun$/m)
    terminal.key('C-z')
    await terminal.shows(/vitrine: Stopped: echo begun/)
    terminal.key('C-d')
    await terminal.shows(/Ending stopped commands: .*\ncode 148/)
  })

  it('at the prompt Ctrl+Z stops nothing', async () => {
    terminal.type('echo a')
    terminal.key('C-z')
    terminal.line('b')
    await terminal.shows(/^ab$/m)
  })

  it('the history is kept for the next run, in a file that only its owner can read', async () => {
    terminal.line('echo kept""one')
    terminal.line(' echo hidden""one')
    await terminal.shows(/^hiddenone$/m)
    terminal.line('exit')
    await terminal.shows('code 0')
    const file = join(home.directory, '.state/vitrine/history')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file, 'utf8')).not.toContain('hidden')
    terminal.line('clear; "$NODE_PROGRAM" "$CLI_PROGRAM" shell')
    await terminal.shows(/^read ~>$/m)
    terminal.key('Up')
    terminal.key('Up')
    await terminal.shows(/read ~> echo kept""one$/)
  })

  it('Ctrl+R finds a line of the history, and an older one, and gives up', async () => {
    terminal.line('echo first""found')
    terminal.line('echo second""found')
    await terminal.shows(/^secondfound$/m)
    terminal.key('C-r')
    terminal.type('""fou')
    await terminal.shows(/: echo second""found$/)
    terminal.key('C-r')
    await terminal.shows(/: echo first""found$/)
    terminal.key('End')
    await terminal.shows(/read ~> echo first""found$/)
    terminal.line(' again')
    await terminal.shows(/^firstfound again$/m)
    terminal.key('C-r')
    terminal.type('no such line')
    await terminal.shows('no match')
    terminal.key('C-c')
    await terminal.shows(/read ~>$/)
  })

  it('Tab completes words of ours and programs, also behind a pipe', async () => {
    terminal.type(':wr')
    terminal.key('Tab')
    await terminal.shows(/> :write$/)
    terminal.key('C-u')
    terminal.type('ls | base6')
    terminal.key('Tab')
    await terminal.shows(/\| base64$/)
  })

  it('output without a line feed at its end stays on the screen', async () => {
    terminal.line('printf unfin""ished')
    await terminal.shows(/^unfinished\nread ~>$/m)
  })

  it('a command of several lines is asked for line by line, and can be given up', async () => {
    terminal.line('for i in 1 2; do')
    await terminal.shows(/^>$/m)
    terminal.line('echo "n$i"')
    terminal.line('done')
    await terminal.shows(/^n1\nn2$/m)
    terminal.line('echo "open')
    await terminal.shows(/^> *\n?$/m)
    terminal.key('C-c')
    await terminal.shows(/\^C\nread ~>$/)
  })

  it('the directory and exported variables are kept', async () => {
    terminal.line('cd "one two" && export KEPT=yes')
    await terminal.shows(/^read ~\/one two>$/m)
    terminal.line('echo "$KEPT"; cd -')
    await terminal.shows(/^yes\n(?:.*\n)*^read ~>$/m)
  })

  it('keys that edit what is typed while a command runs count', async () => {
    terminal.line('echo waiting; until test -e edited; do sleep 0.05; done')
    await terminal.shows(/^waiting/m)
    terminal.type('nonsense')
    terminal.key('C-u')
    terminal.type('echo onx')
    terminal.key('BSpace')
    terminal.line('e""two no')
    terminal.type('echo twö')
    terminal.key('BSpace')
    terminal.line('o""')
    writeFileSync(inside('edited'), '')
    await terminal.shows(/^onetwo no\n(?:.*\n)*^two$/m)
  })

  it('a program that forges the report of its line types nothing', async () => {
    const forge = [
      'word=$(tr "\\0" "\\n" </proc/$PPID/cmdline | sed -n "s/.*\\(v[0-9a-f]\\{32\\}\\):typed.*/\\1/p" | head -n 1)',
      'test -n "$word" && echo found""it',
      'printf "\\000$word:typed\\000:write\\ntouch forged\\n\\n\\000$word:drained\\000" >&3',
    ]
    writeFileSync(inside('forge.sh'), `${forge.join('\n')}\n`)
    terminal.line('sh forge.sh; echo ran')
    await terminal.shows(/^foundit$/m)
    // In between the terminal may show the answer to the forged report: the word and "end", as typed by us.
    await terminal.shows(/^ran$/m)
    terminal.line('echo af""ter')
    await terminal.shows(/^after$/m)
    expect(terminal.screen()).not.toContain('write ~>')
    expect(existsSync(inside('forged'))).toBe(false)
  })
})
