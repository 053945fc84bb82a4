import { beforeAll, describe, expect, it } from 'vitest'
import type { Result } from '../../src/base/types.ts'
import type { Shell } from '../../src/shell.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'
import { isInstalled } from '../helpers/programs.ts'
import { fileThemes, gitThemes, type Row, type Theme } from './commands.ts'
import { exceptions } from './exceptions.ts'
import { fillFixture } from './fixture.ts'
import { interpreterThemes, shellThemes } from './programs.ts'
import { toolThemes } from './tools.ts'

const themes: readonly Theme[] = [
  ...gitThemes,
  ...fileThemes,
  ...shellThemes,
  ...interpreterThemes,
  ...toolThemes,
]

let read: Shell
let write: Shell

beforeAll(async () => {
  const cwd = makeDirectory()
  fillFixture(cwd)
  const env = {
    LC_ALL: 'C',
    TZ: 'UTC',
    GIT_CONFIG_GLOBAL: '/dev/null',
    // npm asks for a newer npm once a week, and each time where HOME is read-only.
    npm_config_update_notifier: 'false',
    PATH: process.env['PATH'],
  }
  // The same environment in both modes: they are compared for what the sandbox changes.
  const toml = '[env]\ninherit = "listed"\npass = ["GIT_CONFIG_GLOBAL", "npm_config_update_notifier"]\n'
  read = await openTestShell({ mode: 'read', cwd, env, toml })
  write = await openTestShell({ mode: 'write', cwd, env, toml })
})

/** What a caller sees of a command. */
function seen({ exitCode, signal, stdout, stderr, timedOut, failure }: Result) {
  return { exitCode, signal, stdout, stderr, timedOut, failure: failure?.kind }
}

function full(row: Row) {
  return typeof row === 'string' ? { line: row } : row
}

/** Says which program is missing. */
function missing(needs: readonly string[]): string | undefined {
  const absent = needs.filter((program) => !isInstalled(program))
  return absent.length === 0 ? undefined : `not installed: ${absent.join(', ')}`
}

const rows = themes.flatMap(({ theme, needs, rows }) =>
  rows.map((row) => ({ theme, ...full(row), needs: [...needs, ...(full(row).needs ?? [])] })),
)

it('the table has at least 110 commands, none twice', () => {
  expect(new Set(rows.map(({ line }) => line)).size).toBe(rows.length)
  expect(rows.length).toBeGreaterThanOrEqual(110)
})

describe('the same in read mode as in write mode', () => {
  it.for(rows)('$theme: $line', async ({ line, needs, exit, signal, silent, cannot }, context) => {
    const absent = missing(needs) ?? cannot?.() ?? undefined
    if (absent !== undefined) return context.skip(absent)
    const inRead = await read.execute({ command: line })
    const inWrite = await write.execute({ command: line })
    // Two failures would be the same, too.
    expect({ exitCode: inWrite.exitCode, signal: inWrite.signal }).toEqual({
      exitCode: signal === undefined ? (exit ?? 0) : null,
      signal: signal ?? null,
    })
    expect(inWrite.bytes === 0).toBe(silent ?? false)
    expect(seen(inRead)).toEqual(seen(inWrite))
  })
})

describe('different, with a cause', () => {
  it.for(exceptions)('$line: $cause', async ({ line, needs, says, cannot }, context) => {
    const absent = missing(needs ?? []) ?? cannot?.() ?? undefined
    if (absent !== undefined) return context.skip(absent)
    const inRead = await read.execute({ command: line })
    const inWrite = await write.execute({ command: line })
    expect({ exitCode: inWrite.exitCode, stderr: inWrite.stderr }).toMatchObject({ exitCode: 0 })
    expect(seen(inRead)).not.toEqual(seen(inWrite))
    expect(inRead.output).toMatch(says)
  })
})
