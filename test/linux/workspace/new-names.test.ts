import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hintBehind } from '../../../src/base/hint.ts'
import { VitrineError } from '../../../src/index.ts'
import { makeDirectory, openTestShell } from '../../helpers/place.ts'

const toml = (names: readonly string[]) => `[workspace]\nnew = ${JSON.stringify(names)}\n`

const open = (names: readonly string[], cwd = makeDirectory()) =>
  openTestShell({ cwd, mode: 'workspace', toml: toml(names) })

/** The name that is listed, how a command makes it, what it leaves, and how that is told. */
const rows = [
  ['.vscode', 'mkdir .vscode; echo {} > .vscode/a.json', '.vscode/a.json', 'editor'],
  ['.vscode', 'mkdir m; echo {} > m/a.json; mv m .vscode', '.vscode', 'editor'],
  ['.envrc', 'echo x > .envrc', '.envrc', 'environment'],
  [
    '.github/workflows',
    'mkdir -p .github/workflows; echo x > .github/workflows/a.yml',
    '.github/workflows/a.yml',
    'ci',
  ],
  ['.mcp.json', 'echo {} > m; ln m .mcp.json; git init -q', '.mcp.json', 'agent'],
] as const

describe.runIf(process.platform === 'linux')('[workspace] new', () => {
  it.each(rows)('%s lets a command make it: %s', async (name, command, path, kind) => {
    const shell = await open([name])
    if (kind === 'ci') mkdirSync(join(shell.cwd, '.git'))
    const { exitCode, denials, handoffs } = await shell.execute({ command })
    expect({ exitCode, denials }).toEqual({ exitCode: 0, denials: [] })
    expect(existsSync(join(shell.cwd, path))).toBe(true)
    expect(handoffs).toContainEqual(expect.objectContaining({ path: join(shell.cwd, path), kind }))
    const next = await shell.execute({
      command: `echo y >> ${path}; rm -r ${name}; chmod 777 ${name}; mv ${name} x`,
    })
    expect(next.denials.every((denial) => denial.protected)).toBe(true)
    expect([next.denials.length > 2, existsSync(join(shell.cwd, path))]).toEqual([true, true])
  })

  it('opens no other name, and none that is there', async () => {
    const shell = await open(['.vscode', '.github/workflows'])
    mkdirSync(join(shell.cwd, '.vscode'))
    writeFileSync(join(shell.cwd, 'file'), '')
    for (const name of ['.vscode/settings.json', '.claude', '.mcp.json', '.github/hooks', '.git']) {
      await shell.execute({
        command: `mv file ${name}; ln -s file ${name}; mkdir -p .github; echo x > ${name}`,
      })
      expect(existsSync(join(shell.cwd, name)), name).toBe(false)
    }
  })

  it('opens no name that the user lists as protected, and the hint does not advise it', async () => {
    const both = `${toml(['.vscode'])}protected = ["default", ".vscode"]\n`
    const shell = await openTestShell({ cwd: makeDirectory(), mode: 'workspace', toml: both })
    const result = await shell.execute({ command: 'mkdir .vscode' })
    expect(hintBehind(result)?.remedy.kind).toBe('protected')
    expect(existsSync(join(shell.cwd, '.vscode'))).toBe(false)
  })

  it.each([
    ['.vscod', '(did you mean ".vscode"?)'],
    ['src', 'docs/workspace.md, got'],
    ['.git', 'docs/workspace.md'],
    ['.vscode/settings.json', 'docs/workspace.md'],
    ['../.vscode', 'docs/workspace.md'],
  ])('takes no other name: %s', async (name, said) => {
    const error = await open([name]).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(VitrineError)
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', refusal: { line: 2, key: 'workspace.new[0]' } })
    expect(`${error}`).toContain(said)
  })
})
