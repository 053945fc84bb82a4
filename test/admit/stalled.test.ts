import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ended, Home, program } from '../cli/vitrine.ts'
import { isInstalled, repository } from '../helpers/programs.ts'

const script = join(repository, 'test/fixtures/terminals/stalled.py')

describe.skipIf(!isInstalled('python3'))(
  'a question at a terminal that takes nothing (skipped: needs python3)',
  () => {
    it.for(['stopped', 'full'] as const)('counts as refused at the deadline: %s', async (how) => {
      const home = new Home()
      const asked = ['run', '--write', '--ask', '--timeout', '1s', '--', 'touch made']
      const child = spawn('python3', [script, how, process.execPath, program, ...asked], {
        cwd: home.directory,
        env: home.env,
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      expect(await ended(child)).toMatchObject({ code: 0, stdout: '125\n' })
      expect(existsSync(join(home.directory, 'made'))).toBe(false)
    })
  },
)
