import { expect, it } from 'vitest'
import { isInstalled } from '../helpers/programs.ts'
import { terminalProgram } from '../helpers/terminal.ts'
import { Home } from './vitrine.ts'

const home = new Home()
const script = terminalProgram()

const long = 'sleep 2.7; echo out; sleep 0.8'
const erase = '\r\u001b[K'

it.skipIf(!isInstalled('python3'))(
  'a long command at a terminal shows a status line that gives way to output (needs python3)',
  async () => {
    const { stdout } = await home.shell(`python3 ${script} "$NODE_PROGRAM" "$CLI_PROGRAM" run -- '${long}'`)
    expect(stdout).toMatch(/vitrine: running for [1-4] s, 0 B of output/)
    expect(stdout).toContain(`${erase}out\r\n`)
    expect(stdout.endsWith(erase)).toBe(true)
  },
)

it.skipIf(!isInstalled('python3'))(
  'it does not write over a line that the command has not finished (needs python3)',
  async () => {
    const { stdout } = await home.shell(
      `python3 ${script} "$NODE_PROGRAM" "$CLI_PROGRAM" run -- 'printf prompt; sleep 3'`,
    )
    expect(stdout).toBe('prompt')
  },
)
