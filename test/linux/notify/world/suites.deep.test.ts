import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { isThere, type Outcome, outcome, part, type Suite, whole } from '../../../fixtures/suites/suites.mjs'
import { makeDirectory, openTestShell } from '../../../helpers/place.ts'
import { exceptionsOf } from './exceptions.ts'
import { noWorld } from './world.ts'

const all = process.env['VITRINE_SUITES'] === 'all'
const timeoutMs = all ? 500_000 : 170_000

const environment = (directory: string) => ({
  ...process.env,
  D: directory,
  TMPDIR: makeDirectory(),
  NODE_TEST_CONTEXT: undefined,
})

function runOutside(suite: Suite, directory: string, line: string): Outcome {
  const ran = spawnSync('sh', ['-c', line], {
    cwd: directory,
    env: environment(directory),
    encoding: 'utf8',
    maxBuffer: 1e8,
    timeout: timeoutMs,
  })
  return outcome(suite, ran.stdout + ran.stderr)
}

async function runInside(suite: Suite, directory: string, mode: 'workspace' | 'read'): Promise<Outcome> {
  const shell = await openTestShell({ mode, cwd: directory })
  const output = { stdout: '', stderr: '' }
  await shell.execute(
    { command: suite.run, env: { D: directory }, timeoutMs, ...(mode === 'read' && { privateTmp: true }) },
    {
      onOutput: (stream, chunk) => {
        output[stream as 'stdout' | 'stderr'] += chunk // the result has the beginning and the end
      },
    },
  )
  await shell.close()
  return outcome(suite, output.stdout + output.stderr)
}

/** What passes in the one more often than in the other: names can occur more than once. */
function lacking(outside: Outcome, inside: Outcome): string[] {
  const left = [...inside.passed]
  return outside.passed.filter((name) => {
    const at = left.indexOf(name)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

/** For docs/tools.md: a line for each suite and mode. */
function note(name: string, outside: Outcome, inside: Outcome): void {
  const path = process.env['VITRINE_SUITES_REPORT']
  const counts = [outside.passed.length, inside.passed.length].join('\t')
  if (path) appendFileSync(path, `${name}\t${counts}\t${lacking(outside, inside).join(' | ')}\n`)
}

for (const suite of all ? whole : part)
  describe.skipIf(noWorld || !isThere(suite))(`${suite.name} (needs ${suite.needs.package})`, () => {
    let directory: string
    let outside: Outcome

    beforeAll(() => {
      directory = makeDirectory()
      const settings = { cwd: directory, env: environment(directory), stdio: 'pipe' } as const
      execFileSync('sh', ['-ec', suite.prepare], settings)
      outside = runOutside(suite, directory, suite.run)
    }, 2 * timeoutMs)

    it('runs outside', () => {
      expect(outside.passed.length, outside.output).toBeGreaterThan(0)
    })

    it.each(['workspace', 'read'] as const)(
      'passes in %s mode by name, but for what has a reason',
      async (mode) => {
        const inside = await runInside(suite, directory, mode)
        note(`${suite.name}, ${mode} mode`, outside, inside)
        const exceptions = exceptionsOf(suite.name)
        const unexpected = lacking(outside, inside).filter(
          (name) => !exceptions.some((other) => name.endsWith(other)),
        )
        expect(unexpected, inside.output).toEqual([])
      },
      timeoutMs + 10_000,
    )
  })
