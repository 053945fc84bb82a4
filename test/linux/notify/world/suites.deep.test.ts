import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { ownWorldMissing } from '../../../helpers/own-world.ts'
import { makeDirectory, openTestShell } from '../../../helpers/place.ts'
import { isThere, type Suite, suites } from './suites.ts'

const missing = process.platform === 'linux' ? ownWorldMissing() : 'needs Linux'

interface Outcome {
  readonly passed: number
  readonly failed: readonly string[]
  readonly output: string
}

function outcome({ passed, failed }: Suite, output: string): Outcome {
  const names = [...output.matchAll(failed)].map((match) => match.slice(1).find(Boolean) ?? '')
  return { passed: output.match(passed)?.length ?? 0, failed: [...new Set(names)], output }
}

const argvIn = (directory: string, argv: readonly string[]) =>
  argv.map((word) => (word === 'TESTED' ? join(directory, 'tested') : word))

const timeoutMs = 170_000

function runOutside(suite: Suite, directory: string): Outcome {
  const [program = '', ...words] = argvIn(directory, suite.argv)
  const env = { ...process.env, TMPDIR: makeDirectory(), NODE_TEST_CONTEXT: undefined }
  const ran = spawnSync(program, words, {
    cwd: suite.cwd ?? directory,
    env,
    encoding: 'utf8',
    maxBuffer: 1e8,
    timeout: timeoutMs,
  })
  return outcome(suite, ran.stdout + ran.stderr)
}

async function runInside(suite: Suite, directory: string): Promise<Outcome> {
  const shell = await openTestShell({ mode: 'workspace', cwd: directory })
  const argv = argvIn(directory, suite.argv)
  const output = { stdout: '', stderr: '' }
  const cwd = suite.cwd ?? directory
  await shell.execute(
    { argv, cwd, timeoutMs },
    {
      onOutput: (stream, chunk) => {
        output[stream as 'stdout' | 'stderr'] += chunk // the result has the beginning and the end
      },
    },
  )
  await shell.close()
  return outcome(suite, output.stdout + output.stderr)
}

for (const suite of suites)
  describe.skipIf(missing !== null || !isThere(suite))(`${suite.name} (needs ${suite.needs.package})`, () => {
    let outside: Outcome
    let inside: Outcome

    beforeAll(async () => {
      const directory = makeDirectory()
      suite.prepare?.(directory)
      outside = runOutside(suite, directory)
      inside = await runInside(suite, directory)
    }, 2 * timeoutMs)

    it('fails in workspace mode where it fails outside, but for what has a reason', () => {
      const only = inside.failed.filter((name) => !outside.failed.includes(name))
      expect(
        only.filter((name) => !(name in suite.exceptions)),
        inside.output,
      ).toEqual([])
    })

    it('passes as many, but for these', () => {
      expect(outside.passed, outside.output).toBeGreaterThan(0)
      const fewer = outside.passed - inside.passed
      expect(fewer).toBeLessThanOrEqual(5 + 2 * Object.keys(suite.exceptions).length)
    })
  })
