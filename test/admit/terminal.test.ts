import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { approvalLate } from '../../src/messages/approval.ts'
import { Home } from '../cli/vitrine.ts'
import { aliveWith, makeMarker, processEntry, waitFor } from '../helpers/processes.ts'
import { isInstalled } from '../helpers/programs.ts'
import { Tmux } from '../helpers/tmux.ts'

const choices = '[y]es  [n]o  [a]ll this session  [s] this command this session:'

/** Command lines that ask before each of them makes its file: by the function of the test's shell, and without it. */
const touch = (name = 'made') => `vitrine run --write --ask -- 'touch ${name}'`
const direct = (name = 'made') => `"$NODE_PROGRAM" "$CLI_PROGRAM" run --write --ask -- 'touch ${name}'`

describe.skipIf(!isInstalled('tmux'))('at a real terminal (skipped: needs tmux)', () => {
  let home: Home
  let terminal: Tmux
  const file = (name: string) => join(home.directory, name)

  beforeEach(() => {
    home = new Home()
    terminal = new Tmux(home.env, home.directory)
    terminal.line(`vitrine() { "$NODE_PROGRAM" "$CLI_PROGRAM" "$@"; echo "[exit code $?]"; }`)
    return () => terminal.close()
  })

  /** Runs a line that asks, and waits for its question. */
  async function ask(line: string) {
    terminal.line(line)
    return terminal.shows(choices)
  }

  /** The command has ended with that exit code, and made the file where that is 0. */
  async function expectEnd(code: number) {
    const screen = await terminal.shows(`[exit code ${code}]`)
    expect(existsSync(file('made'))).toBe(code === 0)
    return screen
  }

  /** The terminal is as a shell needs it: a line is echoed and edited, and Ctrl+C is a signal. */
  async function expectUsual() {
    terminal.line('stty -a')
    const screen = await terminal.shows(/ -?echoe\b[\s\S]*\n[#$>]$/)
    expect(screen).toMatch(/^isig icanon .*echo /m)
  }

  it.each(['y', 'Y', 'a', 's'])('%s lets the command run', async (key) => {
    const screen = await ask(touch())
    expect(screen).toContain('\n  | touch made\n')
    expect(existsSync(file('made'))).toBe(false)
    terminal.key(key)
    await expectEnd(0)
    await expectUsual()
  })

  it.each(['n', 'N', 'Enter', 'Escape', 'C-c', 'C-d', 'C-\\', 'Up'])('%s is a no', async (key) => {
    await ask(touch())
    terminal.key(key)
    await expectEnd(125)
    await expectUsual()
  })

  it.each(['y', 'yyyasy'])('what was typed before the question is no answer: %s', async (typed) => {
    terminal.line(`sleep 1; ${touch()}`)
    terminal.type(typed)
    await terminal.shows(choices)
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(existsSync(file('made'))).toBe(false)
    terminal.key('n')
    await expectEnd(125)
  })

  it('the question stands at the terminal when every standard stream is a pipe', async () => {
    await ask(`echo input | vitrine run --write --ask -- 'cat > made; echo done' 2> errors | cat > output`)
    terminal.key('y')
    expect(
      await waitFor(
        () => existsSync(file('output')) && readFileSync(file('output'), 'utf8').includes('[exit'),
        20_000,
      ),
    ).toBe(true)
    expect(readFileSync(file('made'), 'utf8')).toBe('input\n')
    expect(readFileSync(file('output'), 'utf8')).toBe('done\n[exit code 0]\n')
    expect(readFileSync(file('errors'), 'utf8')).toBe('')
  })

  it('no answer before the deadline is a no', async () => {
    terminal.line(`vitrine run --timeout 1500ms --write --ask -- 'touch made'`)
    expect(await expectEnd(125)).toContain(approvalLate)
    await expectUsual()
  })

  it.each(['TERM', 'INT', 'HUP', 'QUIT'])(
    'SIG%s while asking: nothing runs, and the terminal is as before',
    async (name) => {
      await ask(`${direct()}; echo "[exit code $?]"`)
      process.kill(childOf(terminal.pid), `SIG${name}`)
      await expectEnd(125)
      await expectUsual()
    },
  )

  it('a terminal that is closed while asking is a no, and nothing stays', async () => {
    await ask(direct())
    const pid = childOf(terminal.pid)
    terminal.closeWindow()
    expect(await waitFor(() => processEntry(pid)?.running !== true)).toBe(true)
    expect(existsSync(file('made'))).toBe(false)
  })

  it('escape sequences, and characters that show as nothing, are written out', async () => {
    const sequence = '\\033[2J\\033]0;x\\007\\r'
    terminal.line(`printf 'touch made # ${sequence}\\342\\200\\256\\343\\205\\244\\302\\240end' > line`)
    terminal.line('clear')
    const screen = await ask('vitrine run --write --ask -- "$(cat line)"')
    expect(screen).toContain('  | touch made # \\x1b[2J\\x1b]0;x\\x07\\r\\u{202e}\\u{3164}\\u{a0}end')
    terminal.key('n')
    await terminal.shows('[exit code 125]')
  })

  it('no row of a command can pass for one of the question', async () => {
    const fake = `vitrine: run this in read mode?${' '.repeat(60)}[y]es  [n]o`
    terminal.line(`printf 'true${' '.repeat(71)}${fake}\\n${fake}' > line`)
    terminal.line('clear')
    await ask('vitrine run --write --ask -- "touch made; $(cat line)"')
    const rows = terminal.rows()
    const from = rows.indexOf('vitrine: run this in write mode?')
    const to = rows.findIndex((row) => row.startsWith('  in /'))
    expect(to - from).toBeGreaterThan(4)
    for (const row of rows.slice(from + 1, to)) expect(row).toMatch(/^ {2}[|:]/)
    terminal.key('n')
    await terminal.shows('[exit code 125]')
  })

  it('a long command is shown whole, an unreadable one is not approved', async () => {
    const screen = await ask(`vitrine run --write --ask -- "touch made; : $(seq -s ' ' 1500) last"`)
    const shown = screen
      .split('\n')
      .filter((row) => /^ {2}[|:] /.test(row))
      .map((row) => row.slice(4).padEnd(75))
      .join('')
    for (const number of [1, 500, 1499]) expect(shown).toContain(` ${number} `)
    terminal.key('n')
    await terminal.shows('[exit code 125]')
    terminal.line('clear')
    terminal.line(`vitrine run --write --ask -- "touch made; : $(seq -s ' ' 20000)"`)
    await expectEnd(125)
  })

  it('with --each every line is asked about before the first one starts, in order', async () => {
    await ask(`vitrine run --write --ask --each -- 'touch first' 'echo between' 'touch second'`)
    terminal.key('y')
    const screen = await terminal.shows(asks('second'))
    expect(screen.indexOf('touch first')).toBeLessThan(screen.indexOf('touch second'))
    expect(existsSync(file('first'))).toBe(false)
    terminal.key('n')
    const after = await terminal.shows('[exit code 125]')
    expect(after).not.toMatch(/^between$/m)
    expect(existsSync(file('first'))).toBe(false)
  })

  it.each([
    ['a, for all of the session', 'a', [] as string[]],
    ['s, for this command in the session', 's', ['second']],
  ])('%s', async (_, key, asked) => {
    await ask(`vitrine run --write --ask --each -- 'touch first' 'touch first' 'touch second'`)
    terminal.key(key)
    for (const name of asked) {
      await terminal.shows(asks(name))
      terminal.key('y')
    }
    await terminal.shows('[exit code 0]')
    expect(existsSync(file('first')) && existsSync(file('second'))).toBe(true)
    expect(terminal.screen().split('run this in write mode?').length - 1).toBe(1 + asked.length)
  })

  it('of two processes the second asks when the first has been answered', async () => {
    const [first, second] = [makeMarker(), makeMarker()]
    // In one process group, so that both may use the terminal.
    terminal.line(
      `sh -c '${`${direct(first)} & until test -e asked; do sleep 0.05; done; ${direct(second)}; wait`.replaceAll("'", "'\\''")}'; echo "[exit code $?]"`,
    )
    await terminal.shows(asks(first))
    writeFileSync(file('asked'), '')
    await waitFor(() => processOf(second) !== undefined)
    // Long enough for the second to ask, if it did not wait.
    await new Promise((resolve) => setTimeout(resolve, 2000))
    expect(terminal.screen()).not.toContain(`| touch ${second}`)
    const waiting = processOf(second) ?? expect.fail('the second has ended')
    // Node restores the terminal when the first ends: the second must make it raw after that.
    process.kill(waiting, 'SIGSTOP')
    terminal.key('n')
    expect(await waitFor(() => processOf(first) === undefined)).toBe(true)
    process.kill(waiting, 'SIGCONT')
    await terminal.shows(asks(second))
    terminal.key('y')
    await terminal.shows(/\[exit code \d+\]/)
    expect([existsSync(file(first)), existsSync(file(second))]).toEqual([false, true])
    // No look at the modes of the terminal: Node gives back what it found at its start, which for the second was raw.
  })
})

/** The command line that asks about `touch name`. */
function processOf(name: string): number | undefined {
  return aliveWith(name).find((pid) => processEntry(pid)?.commandLine.endsWith(`\0--\0touch ${name}\0`))
}

const asks = (name: string) => new RegExp(`\\| touch ${name}\\n[\\s\\S]*this session:$`, 'm')

/** The child of a shell that waits for it. */
function childOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0])
}

it('without a terminal the answer is no, and that is said', async () => {
  const home = new Home()
  const ran = await home.shell(`setsid -w ${direct()}`)
  expect(ran).toMatchObject({ code: 125, stdout: '' })
  expect(ran.stderr).toMatch(/^vitrine: there is no terminal to ask at/)
  expect(existsSync(join(home.directory, 'made'))).toBe(false)
})
