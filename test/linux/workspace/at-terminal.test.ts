import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { approvalChoices, approvalHeading } from '../../../src/messages/approval.ts'
import { Home } from '../../cli/vitrine.ts'
import { isInstalled } from '../../helpers/programs.ts'
import { Tmux } from '../../helpers/tmux.ts'

const choices = approvalChoices({ once: true }).trim()
const heading = approvalHeading({ mode: 'workspace', change: '/' })
const change = 'echo began; echo changed > .claude/settings.json; echo ended $?'

describe.runIf(process.platform === 'linux' && isInstalled('tmux'))(
  '[workspace] on_protected = "ask" at a terminal (needs tmux)',
  () => {
    let project = ''
    let terminal: Tmux
    const settings = () => readFileSync(join(project, '.claude/settings.json'), 'utf8').trim()

    beforeEach(() => {
      const home = new Home()
      home.configure('[workspace]\non_protected = "ask"\n')
      project = join(home.directory, 'project')
      mkdirSync(join(project, '.claude'), { recursive: true })
      writeFileSync(join(project, '.claude/settings.json'), 'before')
      terminal = new Tmux(home.env, project)
      terminal.line(`vitrine() { "$NODE_PROGRAM" "$CLI_PROGRAM" "$@"; echo "[exit code $?]"; }`)
      return () => terminal.close()
    })

    async function ask(command = change): Promise<string> {
      terminal.line('clear')
      terminal.line(`vitrine run --mode workspace --ask -- '${command}'`)
      return terminal.shows(choices)
    }

    it('y makes the change while the command waits, and the rest of it runs', async () => {
      const screen = await ask()
      expect(screen).toContain(`vitrine: ${heading}`)
      expect(screen).toMatch(/began$/m)
      expect(settings()).toBe('before')
      terminal.key('y')
      expect(await terminal.shows('[exit code 0]')).toMatch(/^ended 0$/m)
      expect(settings()).toBe('changed')
    })

    it.each(['n', 'Enter', 'C-c'])('%s refuses the change, and the command goes on', async (key) => {
      await ask()
      terminal.key(key)
      expect(await terminal.shows('[exit code 0]')).toMatch(/^ended [12]$/m)
      expect(settings()).toBe('before')
    })

    it('a command with a terminal of its own is refused without a question', async () => {
      terminal.line(`vitrine run --mode workspace --pty --ask -- 'echo x > .envrc'`)
      expect(await terminal.shows('[exit code')).not.toContain(choices)
      expect(existsSync(join(project, '.envrc'))).toBe(false)
    })
  },
)
