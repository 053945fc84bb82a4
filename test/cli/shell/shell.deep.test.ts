import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { nobody, whyNot } from '../../helpers/other-users.ts'
import { allProcesses, makeMarker, waitFor } from '../../helpers/processes.ts'
import { isInstalled } from '../../helpers/programs.ts'
import { Tmux } from '../../helpers/tmux.ts'
import { homeForShells, startShell } from './shells.ts'

const shells = [
  { name: 'bash', stops: /Stopped/ },
  { name: 'zsh', stops: /suspended/ },
  { name: 'fish', stops: /has stopped/ },
  { name: 'dash', stops: /Stopped/ },
]

const accounts = [
  { who: 'the user of the tests', become: '', lacking: null },
  {
    who: 'an ordinary user',
    become: `setpriv --reuid ${nobody.uid} --regid ${nobody.gid} --clear-groups `,
    lacking: process.getuid?.() === 0 ? whyNot(nobody) : 'it is one',
  },
]

function sleeps(marker: string, state: RegExp): boolean {
  return allProcesses().some((each) => each.commandLine === `sleep\0${marker}\0` && state.test(each.state))
}

/** A terminal in the workspace of a home of its own, where the shell has been before. */
async function open(shell: string, become: string) {
  const home = homeForShells()
  const terminal = new Tmux({ ...home.env, SHELL: shell }, join(home.directory, 'work'))
  if (become !== '') {
    spawnSync('chown', ['-R', `${nobody.uid}:${nobody.gid}`, home.directory])
    terminal.line(`exec ${become}sh`)
  }
  // fish complains at each prompt where it cannot write the files that its first start makes.
  terminal.line('"$SHELL"; echo ag""ain')
  // What is typed ahead leaves prompts on the line of its output.
  terminal.line('echo fir""st')
  await terminal.shows(/\bfirst$/m)
  terminal.line('exit')
  await terminal.shows(/\bagain$/m)
  return { home, terminal }
}

describe.each(accounts)('vitrine shell, as $who', ({ become, lacking }) => {
  describe.each(shells)('$name', ({ name, stops }) => {
    const missing = lacking ?? (['tmux', name].some((each) => !isInstalled(each)) ? 'not installed' : null)
    it.skipIf(missing).each(['read', 'workspace', 'write'])(
      `works as at home, in %s mode${missing ? ` (${missing})` : ''}`,
      async (mode) => {
        const marker = makeMarker()
        const { home, terminal } = await open(`/usr/bin/${name}`, become)
        await startShell(terminal, `--mode ${mode}`)
        terminal.line('echo inside >made; echo outside >../made; echo tri""ed')
        await terminal.shows(/^tried$/m)
        terminal.line(`sleep ${marker}`)
        expect(await waitFor(() => sleeps(marker, /S/))).toBe(true)
        terminal.key('C-z')
        await terminal.shows(stops)
        expect(sleeps(marker, /T/)).toBe(true)
        terminal.line('fg')
        expect(await waitFor(() => sleeps(marker, /S/))).toBe(true)
        terminal.key('C-c')
        expect(await waitFor(() => !sleeps(marker, /./))).toBe(true)
        terminal.resize(100, 30)
        terminal.line('stty size')
        await terminal.shows(/^30 100$/m)
        terminal.key('C-d')
        await terminal.shows(/^code 0\n icanon/m)
        const made = (path: string) => existsSync(join(home.directory, path))
        expect([made('work/made'), made('made')]).toEqual([mode !== 'read', mode === 'write'])
        expect(terminal.screen().includes(`vitrine: refused to create ${home.directory}/made`)).toBe(
          mode !== 'write',
        )
        expect(readFileSync(join(home.directory, 'work/kept'), 'utf8')).toBe('as it was\n')
      },
    )
  })
})
