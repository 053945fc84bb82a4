import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { gitEnvironment } from '../../../helpers/git.ts'
import { makeDirectory, openTestShell } from '../../../helpers/place.ts'

const files = ['tools/clean.py', 'monitor', 'shared.gitconfig', 'hooks/pre-push', 'attributes', 'free/file']

/** A repository and a home directory beside it. The script runs in the repository. */
export function makeProject(script: string): { readonly cwd: string; readonly home: string } {
  const parent = makeDirectory()
  const [cwd, home] = [join(parent, 'project'), join(parent, 'home')]
  for (const name of ['tools', 'hooks', 'free']) mkdirSync(join(cwd, name), { recursive: true })
  mkdirSync(home)
  for (const file of files) writeFileSync(join(cwd, file), '')
  const env = { ...process.env, ...gitEnvironment(home) }
  execFileSync('sh', ['-ec', `git init -q\n${script}`], { cwd, env, stdio: 'pipe' })
  return { cwd, home }
}

export interface Row {
  /** What the user has set up. */
  readonly given: string
  /** What cannot be written. */
  readonly path: string
  /** Default: appends to the path. */
  readonly command?: string
}

/** `PATH: GIVEN`, and perhaps ` => COMMAND`, a line each; one that begins with blanks continues the line before it. */
export function rowsOf(text: string): readonly Row[] {
  const lines = text.trim().replaceAll(/\n +/g, ' ').split('\n')
  return lines.map((line) => {
    const [, path = '', given = '', command] = /^(.*?): (.*?)(?: => (.*))?$/.exec(line) ?? []
    return { path, given, ...(command !== undefined && { command }) }
  })
}

/** A row cannot be written in workspace mode, and can in write mode. */
export async function expectKept(row: Row): Promise<void> {
  expect([await writes(row, 'workspace'), await writes(row, 'write')]).toEqual([false, true])
}

/** Whether a shell in the mode makes or changes the file. */
export async function writes(
  { given, path, command = `echo x >> ${path}` }: Row,
  mode: 'workspace' | 'write',
): Promise<boolean> {
  const { cwd, home } = makeProject(given)
  const shell = await openTestShell({
    cwd,
    mode,
    env: { HOME: home, XDG_CONFIG_HOME: join(home, '.config') },
  })
  const { exitCode } = await shell.execute({ command })
  const file = join(cwd, path)
  const isWritten = existsSync(file) && readFileSync(file, 'utf8').endsWith('x\n')
  expect(isWritten).toBe(exitCode === 0)
  const { exitCode: made } = await shell.execute({ command: 'echo x > free/file && echo x > new' })
  expect(made).toBe(0)
  return isWritten
}
