import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeDirectory, openTestShell } from '../../../helpers/place.ts'

interface Narrowed {
  readonly to: string
  /** The user's `[workspace]` section. */
  readonly workspace?: string
  readonly cwd?: string
}

function makeRepository(): string {
  const cwd = makeDirectory()
  execFileSync('git', ['init', '-q'], { cwd })
  return cwd
}

/** A shell in workspace mode, where an untrusted project file names the workspace. */
function openNarrowed({ to, workspace = '', cwd = makeRepository() }: Narrowed) {
  mkdirSync(join(cwd, to), { recursive: true })
  writeFileSync(join(cwd, '.vitrine.toml'), `[policy]\nworkspace = ${JSON.stringify(to)}\n`)
  return openTestShell({
    cwd,
    mode: 'workspace',
    toml: `[workspace]\n${workspace}\n`,
    env: { HOME: '/nonexistent' },
  })
}

describe.runIf(process.platform === 'linux')('a project file that narrows the workspace', () => {
  it('leaves the directory that it names writable', async () => {
    const cwd = makeRepository()
    const shell = await openNarrowed({ cwd, to: 'packages/app' })
    await shell.execute({ command: 'echo x > packages/app/made; echo x > made' })
    expect([existsSync(join(cwd, 'packages/app/made')), existsSync(join(cwd, 'made'))]).toEqual([true, false])
  })

  it.for(['.git/hooks', '.git/modules', '.vscode', '.husky/_', '.github/workflows/deep'])(
    'opens nothing in %s, which is protected without the file',
    async (to) => {
      await expect(
        openNarrowed({ to }).then((shell) => shell.execute({ command: 'echo x > made' })),
      ).rejects.toThrow(expect.objectContaining({ code: 'SANDBOX_UNAVAILABLE' }))
    },
  )

  it('opens nothing in what a protected name links to', async () => {
    const cwd = makeRepository()
    symlinkSync('settings', join(cwd, '.vscode'))
    await expect(
      openNarrowed({ cwd, to: 'settings' }).then((shell) =>
        shell.execute({ command: 'echo x > settings/made' }),
      ),
    ).rejects.toThrow(expect.objectContaining({ code: 'SANDBOX_UNAVAILABLE' }))
  })

  it.for([
    ['config/mise/other.toml', 'config', ''],
    ['sub/kept', 'sub', 'protected = ["default", "sub/kept"]'],
  ] as const)('keeps %s, which is protected without the file', async ([path, to, workspace]) => {
    const cwd = makeRepository()
    if (to === 'config') symlinkSync('config', join(cwd, '.config'))
    mkdirSync(join(cwd, dirname(path)), { recursive: true })
    writeFileSync(join(cwd, path), 'before\n')
    const shell = await openNarrowed({ cwd, to, workspace })
    await shell.execute({ command: `echo after > ${path}; echo x > ${to}/made` })
    expect([readFileSync(join(cwd, path), 'utf8'), existsSync(join(cwd, to, 'made'))]).toEqual([
      'before\n',
      true,
    ])
  })
})
