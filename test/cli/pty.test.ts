import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeMarker, processEntry, survivors, waitFor } from '../helpers/processes.ts'
import { isInstalled } from '../helpers/programs.ts'
import { Tmux } from '../helpers/tmux.ts'
import { ours, sleeping } from './shell/shells.ts'
import { endLines, Home } from './vitrine.ts'

const bash = 'bash --norc --noprofile'
const home = new Home()
let terminal: Tmux
let marker: string

/** Runs it in the terminal; the exit code, and whether the terminal is as before, are shown behind it. */
function run(args: string): void {
  terminal.line(`v run --pty ${args}; after`)
}

const setUp = [
  'PS1="> "',
  'stty -g > before',
  'v() { "$NODE_PROGRAM" "$CLI_PROGRAM" "$@"; }',
  'after() { echo "code $?"; stty -g > after; cmp before after && echo "as before"; }',
  'clear',
  'echo set "up"',
].join('; ')

beforeAll(() => writeFileSync(join(home.directory, 'here.txt'), 'one\ntwo\n'))

beforeEach(async ({ skip }) => {
  if (!isInstalled('tmux')) skip('tmux is not installed')
  marker = makeMarker()
  terminal = new Tmux(home.env, home.directory)
  terminal.line(setUp)
  await terminal.shows('set up')
})

describe.each(['', '--write'])('vitrine run --pty %s', (mode) => {
  it('shows the command in our terminal: its size, its colours, its exit code', async () => {
    run(
      `${mode} -- 'stty size; printf "\\033[31mr\\145d\\033[0m\\n"; test -t 0 && test -t 1 && test -t 2 && exit 7'`,
    )
    const screen = await terminal.shows('as before')
    expect(screen).toMatch(/^24 80\nred\ncode 7\n/m)
    expect(terminal.coloured()).toContain('\x1b[31mred')
  })

  it('what is typed goes to the command: Ctrl+Z and Ctrl+C to what is in its foreground', async () => {
    run(`${mode} -- ${bash} -i`)
    await terminal.shows('bash-')
    terminal.line(`sleep ${marker}`)
    expect(await waitFor(() => sleeping(marker) === 1)).toBe(true)
    terminal.key('C-z')
    await terminal.shows(/\[1\]\+ +Stopped/)
    terminal.line('fg')
    await terminal.shows(/fg\nsleep/)
    terminal.key('C-c')
    await terminal.shows(/\^C/)
    terminal.line('exit $(($? - 100))')
    expect(await terminal.shows('as before')).toMatch(/^code 30$/m)
  })

  it.each([
    ['a signal of its own', 'kill -SEGV $$', 139],
    ['raw settings that it leaves behind', 'stty raw -echo; exit 3', 3],
  ])('gives our terminal back after %s', async (_, line, code) => {
    run(`${mode} -- '${line}'`)
    expect(await terminal.shows('as before')).toContain(`code ${code}`)
  })

  it('gives our terminal back at the deadline', async () => {
    run(`${mode} --timeout 500ms -- sleep ${marker}`)
    const screen = await terminal.shows('as before')
    expect(screen).toContain(endLines({ kind: 'timed-out', afterMs: 500 }))
    expect(screen).toContain('code 124')
  })

  it.each(['SIGTERM', 'SIGHUP'] as const)(
    '%s to vitrine ends everything, and gives our terminal back',
    async (name) => {
      run(`${mode} -- ${bash} -i`)
      await terminal.shows('bash-')
      terminal.line(`sleep ${marker}`)
      expect(await waitFor(() => sleeping(marker) === 1)).toBe(true)
      process.kill(ours(terminal), name)
      await terminal.shows('as before')
      expect(await survivors(marker)).toEqual([])
    },
  )

  it.each(['its window is closed', 'it is killed'])(
    'when %s, nothing is left on the terminal',
    async (how) => {
      run(`${mode} -- ${bash} -i`)
      await terminal.shows('bash-')
      terminal.line(`trap "" HUP; sleep ${marker} & sleep ${marker}`)
      expect(await waitFor(() => sleeping(marker) === 2)).toBe(true)
      if (how === 'it is killed') process.kill(ours(terminal), 'SIGKILL')
      else terminal.closeWindow()
      expect(await survivors(marker)).toEqual([])
    },
  )
})

it('one line feed stays one: what a full-screen program draws stands where it put it', async () => {
  run(`-- 'stty -opost; printf "\\033[H\\033[2Jabc\\ndef\\r\\n"; stty sane'`)
  await terminal.shows('as before')
  const rows = terminal.rows()
  expect(rows[rows.indexOf('abc') + 1]).toBe('   def')
})

it('a stop gives our terminal back, and going on takes it again', async () => {
  run(`-- ${bash} -i`)
  await terminal.shows('bash-')
  const pid = ours(terminal)
  process.kill(pid, 'SIGTSTP')
  await terminal.shows('as before')
  terminal.line('fg; after')
  expect(await waitFor(() => processEntry(pid)?.state !== 'T')).toBe(true)
  terminal.line('echo "agai""n"; exit')
  expect(await terminal.shows(/as before[\s\S]*as before/)).toMatch(/^again$/m)
})

it.each(['< /dev/null', '| cat', '> out'])(
  'with our streams elsewhere it is refused: %s',
  async (elsewhere) => {
    terminal.line(`(v run --pty -- touch ran; echo "code $?" >&2) ${elsewhere}`)
    await terminal.shows('code 125')
    expect(existsSync(join(home.directory, 'ran'))).toBe(false)
  },
)

it('with --ask the question comes first, and the command has the terminal afterwards', async () => {
  writeFileSync(join(home.directory, 'ask.toml'), '[policy]\nask = ["stty"]\n')
  run('--write --ask --config ask.toml -- stty size')
  // Shown once keys count: what is typed before is no answer.
  await terminal.shows('[y]es')
  terminal.key('y')
  expect(await terminal.shows('as before')).toMatch(/^24 80\ncode 0/m)
})
