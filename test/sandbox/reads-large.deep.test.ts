import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Result } from '../../src/base/types.ts'
import { VitrineError } from '../../src/messages/error.ts'
import { unsearchedNote } from '../../src/sandbox/reads/unread.ts'
import type { Shell } from '../../src/shell.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'

const secret = 'TOKEN=1'

/** Fills a directory with empty files. */
function fill(directory: string, count: number): void {
  mkdirSync(directory, { recursive: true })
  for (let index = 0; index < count; index++) writeFileSync(join(directory, `file-${index}`), '')
}

function makeRepository(): string {
  const repository = makeDirectory()
  mkdirSync(join(repository, '.git'))
  return repository
}

const open = (cwd: string) =>
  openTestShell({ cwd, toml: '[shell]\nunreadable = "secrets"\ntimeout_ms = 60000\n' })

/** The search for names ends after 200 ms, and the result says so: on a busy machine the command runs again. */
async function searched(shell: Shell, command: string): Promise<Result> {
  for (;;) {
    const result = await shell.execute({ command })
    if (result.enforcement['unreadable']?.note !== unsearchedNote) return result
  }
}

describe.runIf(process.platform === 'linux')('unreadable = "secrets" in a large repository', () => {
  it('30,000 files beside one .env can be read, and the .env cannot', async () => {
    const cwd = makeRepository()
    fill(cwd, 30_000)
    writeFileSync(join(cwd, '.env'), secret)
    const shell = await open(cwd)
    const all = await searched(shell, 'cat file-* && echo all; cat .env')
    expect(all).toMatchObject({ stdout: 'all\n', exitCode: 1 })
  }, 300_000)

  it('what is too large for rules is refused in the name of the setting', () => {
    const refusal = { code: 'SPAWN_FAILED', step: 'landlock ruleset', errno: 'E2BIG', program: 'sh' } as const
    expect(new VitrineError(refusal).message).toContain('unreadable')
  })
})
