import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { errorOf, Home, misused } from './vitrine.ts'

const home = new Home()
const each = (...args: string[]) => home.run(['run', '--each', ...args])
const made = (name: string) => existsSync(join(home.directory, name))

describe('run --each', () => {
  it('runs every word as a line of its own, in order, each in a shell of its own', async () => {
    const ran = await each('--env', 'A=1', '--', 'echo $A; x=1', 'echo two >&2', 'echo "$A $x" | tr 1 I')
    expect(ran).toMatchObject({ code: 0, stdout: '1\nI \n', stderr: 'two\n' })
  })

  it.each([
    ['exit 3', 3, []],
    ['kill -TERM $$', 143, []],
    ['sleep 30', 124, ['--timeout', '500ms']],
    ['no-such-program', 127, []],
  ])('stops at the first failure, with its exit code: %s', async (failing, code, options) => {
    const ran = await each('--write', ...options, '--', 'echo before', failing, 'touch after')
    expect(ran).toMatchObject({ code, stdout: 'before\n' })
    expect(made('after')).toBe(false)
  })

  it('--json has the results of all that ran', async () => {
    const ran = await each('--json', '--', 'echo one', 'exit 4', 'echo three')
    expect(ran).toMatchObject({ code: 4, stderr: '' })
    const object = JSON.parse(ran.stdout)
    expect(object).toMatchObject({ version: 1, skipped: ['echo three'] })
    expect(object.results).toMatchObject([
      { command: 'echo one', stdout: 'one\n', exitCode: 0, mode: 'read' },
      { command: 'exit 4', exitCode: 4, failure: { kind: 'non-zero' } },
    ])
    expect(object.results).toHaveLength(2)
  })

  it('all are decided on before the first starts', async () => {
    const env = { VITRINE_POLICY_DENY: 'git push' }
    const list = ['run', '--json', '--write', '--each', '--', 'touch first', 'git push']
    const ran = await home.run(list, { env })
    expect(ran).toMatchObject({ code: 125, stderr: '' })
    expect(errorOf(ran)).toMatchObject({ code: 'DENIED', decision: { verdict: 'deny' } })
    expect(made('first')).toBe(false)
  })

  it.each([[[]], [['--write']]])('they share the input, as in a script %j', async (options) => {
    const ran = await home.shell(
      `printf 'a\\nb\\n' | vitrine run ${options.join(' ')} --each -- 'cat' 'cat; echo end'`,
    )
    expect(ran).toMatchObject({ code: 0, stdout: 'a\nb\nend\n', stderr: '' })
  })

  it('says which line failed, and which did not run', async () => {
    const ran = await each('--', 'echo one', 'exit 3', 'echo three', 'echo four')
    expect(ran.stderr).toBe(
      'vitrine: line 2 of 4 failed (exit code 3): exit 3\nvitrine: not run: echo three; echo four\n',
    )
  })

  it('--keep-going goes on behind a failure, and ends as the first one did', async () => {
    const ran = await each('--keep-going', '--', 'exit 3', 'echo two', 'kill -TERM $$', 'echo four')
    expect(ran).toMatchObject({ code: 3, stdout: 'two\nfour\n' })
    expect(ran.stderr).toBe(
      'vitrine: line 1 of 4 failed (exit code 3): exit 3\nvitrine: line 3 of 4 failed (SIGTERM): kill -TERM $$\n',
    )
    const json = JSON.parse((await each('--keep-going', '--json', '--', 'false', 'echo x')).stdout)
    expect(json).toMatchObject({ results: [{ exitCode: 1 }, { stdout: 'x\n' }], skipped: [] })
  })

  it('--keep-going alone is refused', async () => {
    const ran = await home.run(['run', '--keep-going', '--', 'true'])
    expect(ran).toMatchObject(misused('--keep-going needs --each'))
  })
})
