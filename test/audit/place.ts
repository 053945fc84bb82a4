import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Shell } from '../../src/shell.ts'
import { makeDirectory, openTestShell, type TestShellOptions } from '../helpers/place.ts'

/** The fields that tests read; docs/audit.md describes all. */
interface AuditLine {
  readonly event: string
  readonly time: string
  readonly session: string
  readonly pid: number
  readonly command: string | null
  readonly argv: readonly string[] | null
  readonly mode: string
  readonly outcome: string
  readonly exitCode: number | null
  readonly signal: string | null
  readonly decision: object | null
  readonly approval: object | null
  readonly refusal: { readonly code: string; readonly message: string } | null
  readonly hosts: readonly object[]
  readonly denials: readonly { readonly path?: string }[]
}

/** The lines of one file. Whatever is no whole line of JSON makes it fail. */
export function linesOf(path: string): AuditLine[] {
  const text = readFileSync(path, 'utf8')
  if (!text.endsWith('\n')) throw new Error(`${path} ends in the middle of a line`)
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** The lines of the commands in one file. */
export function commandsOf(path: string): AuditLine[] {
  return linesOf(path).filter((line) => line.event === 'command')
}

/** The files of a log, oldest first. */
export function filesOf(path: string): string[] {
  const numbered = Array.from({ length: 20 }, (_, at) => `${path}.${20 - at}`)
  return [...numbered, path].filter((file) => existsSync(file))
}

/** A shell with an audit log of its own. */
export async function openAudited(
  options: TestShellOptions & { readonly audit?: string } = {},
): Promise<{ readonly shell: Shell; readonly log: string; readonly lines: () => AuditLine[] }> {
  const log = join(makeDirectory(), 'log', 'audit.jsonl')
  const { audit = '', toml = '', ...rest } = options
  const shell = await openTestShell({
    mode: 'read',
    ...rest,
    toml: `${toml}\n[audit]\npath = ${JSON.stringify(log)}\n${audit}\n`,
  })
  return { shell, log, lines: () => commandsOf(log) }
}
