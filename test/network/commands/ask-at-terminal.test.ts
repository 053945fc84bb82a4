import { beforeEach, describe, expect, it } from 'vitest'
import { approvalChoices, approvalHeading } from '../../../src/messages/approval.ts'
import { Home } from '../../cli/vitrine.ts'
import { isInstalled } from '../../helpers/programs.ts'
import { Tmux } from '../../helpers/tmux.ts'
import { listsRefused } from './surroundings.ts'

const connect = { host: 'absent.invalid', port: 80, program: 'curl' }
const choices = approvalChoices({ connect }).trim()
const cannotRun = listsRefused !== null || !isInstalled('tmux') || !isInstalled('curl')

describe.skipIf(cannotRun)('[network] ask at a terminal (needs tmux)', () => {
  let terminal: Tmux

  beforeEach(() => {
    const home = new Home()
    home.configure('[network]\nask = true\n')
    terminal = new Tmux(home.env, home.directory)
    terminal.line(`vitrine() { "$NODE_PROGRAM" "$CLI_PROGRAM" "$@"; echo "[exit code $?]"; }`)
    return () => terminal.close()
  })

  it.each([
    ['y', '502'],
    ['s', '502'],
    ['n', '403'],
    ['Escape', '403'],
    ['C-c', '403'],
  ])('%s answers, and the proxy tells the program the outcome', async (key, status) => {
    const curl = 'curl -so /dev/null -w %{http_code} http://absent.invalid/'
    terminal.line(`vitrine run --allow-host good.invalid --ask -- '${curl}'`)
    expect(await terminal.shows(choices)).toContain(approvalHeading({ mode: 'read', connect }))
    terminal.key(key)
    expect(await terminal.shows('[exit code 0]')).toContain(status)
  })

  it.each([
    ['n', 1],
    ['Escape', 2],
  ])('%s: the next command asks again, or not', async (key, count) => {
    const curl = (at: number) =>
      `curl -so /dev/null -w "$((${at} * 10)):%{http_code}." http://absent.invalid/`
    terminal.line(`vitrine run --allow-host good.invalid --ask --each -- '${curl(1)}' '${curl(2)}'`)
    for (let asked = 1; asked <= count; asked++) {
      await terminal.shows(new RegExp(`(ever in this session[^]*){${asked}}`))
      terminal.key(key)
    }
    const screen = await terminal.shows('20:403.')
    expect(screen).toContain('10:403.')
    expect(screen.split(choices)).toHaveLength(count + 1)
  })
})
