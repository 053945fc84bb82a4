import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isInstalled } from '../../helpers/programs.ts'
import { makeProject } from './quiet.ts'

const { home, run } = makeProject()
writeFileSync(join(home.directory, 'test_ok.py'), 'def test_ok():\n    assert True\n')

const silent = [
  'man ls',
  'pip list',
  'python3 -m pip --version',
  'top -b -n 1',
  'npm ls',
  'vim -es -c q README.md; true',
]

describe('a larger program that ended with 0 and did without what was refused', () => {
  it.each(silent.filter((line) => isInstalled(line.split(' ')[0] ?? '')))(
    '%s: stderr holds nothing of ours',
    async (line) => {
      const { code, own } = await run(line)
      expect({ code, own }).toEqual({ code: 0, own: [] })
    },
  )
})

describe('pytest', () => {
  it.runIf(isInstalled('pytest'))(
    'warns of no cache that it cannot write, and reads the one there is',
    async () => {
      execFileSync('pytest', ['-q', 'test_ok.py'], { cwd: home.directory, stdio: 'ignore' })
      for (const line of ['pytest -q test_ok.py', 'pytest -q --last-failed test_ok.py']) {
        const { code, stdout, own } = await run(line, '--private-tmp')
        expect({ code, own }).toEqual({ code: 0, own: [] })
        expect(stdout).not.toContain('PytestCacheWarning')
      }
    },
  )
})
