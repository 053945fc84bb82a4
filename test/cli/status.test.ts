import { expect, it } from 'vitest'
import { isInstalled } from '../helpers/programs.ts'
import { terminalProgram } from '../helpers/terminal.ts'
import { Home } from './vitrine.ts'

const erase = '\r\u001b[K'

it.runIf(isInstalled('python3'))(
  'at a terminal a long command has a status line (needs python3)',
  async () => {
    const shown = async (line: string) => {
      const argv = `"$NODE_PROGRAM" "$CLI_PROGRAM" run -- '${line}'`
      return (await new Home().shell(`python3 ${terminalProgram()} ${argv}`)).stdout
    }
    // It gives way to output, and does not write over a line that the command has not finished.
    const [long, unfinished] = [shown('sleep 2.7; echo out; sleep 0.8'), shown('printf prompt; sleep 3')]
    expect(await long).toMatch(/vitrine: running for [1-4] s, 0 B of output/)
    expect(await long).toContain(`${erase}out\r\n`)
    expect((await long).endsWith(erase)).toBe(true)
    expect(await unfinished).toBe('prompt')
  },
)
