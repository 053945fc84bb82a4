import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { changesFor } from '../../../src/sandbox/workspace/changes.ts'
import { makeDirectory, openTestShell } from '../../helpers/place.ts'

/** A project that has vitrine, and another package. */
function makeProject(): string {
  const project = makeDirectory()
  const modules = join(project, 'node_modules')
  for (const directory of ['vitrine/dist', 'other', '.bin'])
    mkdirSync(join(modules, directory), { recursive: true })
  writeFileSync(join(modules, 'vitrine/dist/cli.cjs'), 'kept')
  symlinkSync('../vitrine/dist/cli.cjs', join(modules, '.bin/vitrine'))
  return project
}

describe.runIf(process.platform === 'linux')('vitrine in the node_modules of a workspace', () => {
  const changes = [
    'echo x > node_modules/vitrine/dist/cli.cjs',
    'echo x > node_modules/vitrine/dist/new',
    'rm -r node_modules/vitrine',
    'mv node_modules/vitrine node_modules/v',
    'mv node_modules n',
    'ln -sf ../other/evil node_modules/.bin/vitrine',
    'mv node_modules/.bin b',
  ]

  it.each(changes)('is changed by %s in write mode only', async (command) => {
    const [control, cwd] = [makeProject(), makeProject()]
    execFileSync('sh', ['-c', command], { cwd: control })
    const shell = await openTestShell({ cwd, mode: 'workspace' })
    expect((await shell.execute({ command })).exitCode).not.toBe(0)
    const seen = (project: string) =>
      execFileSync(
        'sh',
        ['-c', 'find . | sort; cat node_modules/vitrine/dist/*; readlink node_modules/.bin/vitrine; true'],
        {
          cwd: project,
          encoding: 'utf8',
          stdio: 'pipe',
        },
      )
    const untouched = seen(makeProject())
    expect([seen(control) === untouched, seen(cwd) === untouched]).toEqual([false, true])
  })

  it('is protected where a package manager keeps the package that runs', () => {
    const workspace = makeProject()
    const running = join(workspace, 'node_modules/.store/vitrine@1/node_modules/vitrine')
    cpSync(join(workspace, 'node_modules/vitrine'), running, { recursive: true })
    expect(readFileSync(join(running, 'dist/cli.cjs'), 'utf8')).toBe('kept')
    const own = { home: '/home', others: [], package: running }
    const wanted = { workspace, writable: [], protected: ['default'], gitConfigs: [], own }
    expect(changesFor(wanted, [])).toMatchObject({ protected: expect.arrayContaining([running]) })
    expect(changesFor({ ...wanted, protected: [] }, [])).toMatchObject({ protected: [] })
  })
})
