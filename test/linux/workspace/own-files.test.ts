import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { thisHost } from '../../../src/host/host.ts'
import { changesFor } from '../../../src/sandbox/workspace/changes.ts'
import { openShellOn } from '../../../src/shell.ts'
import { makeDirectory, openTestShell } from '../../helpers/place.ts'

async function tryLine(cwd: string, config: string, command: string): Promise<{ code: number | null }> {
  const env = { ...process.env, XDG_STATE_HOME: makeDirectory(), XDG_CONFIG_HOME: makeDirectory() }
  const shell = await openShellOn(thisHost(), { cwd, config, mode: 'workspace', env })
  const result = await shell.execute({ command }).finally(() => shell.close())
  return { code: result.exitCode }
}

/** Runs a line in a workspace that holds vitrine's configuration and audit log. Returns the workspace. */
async function runIn(protects: string, line: string): Promise<string> {
  const cwd = makeDirectory()
  const config = join(cwd, 'ci/vitrine.toml')
  for (const name of ['ci', 'log']) mkdirSync(join(cwd, name))
  const audit = `[audit]\npath = ${JSON.stringify(join(cwd, 'log/audit'))}\n`
  writeFileSync(config, `${audit}[workspace]\nprotected = ${protects}\n`)
  await tryLine(cwd, config, 'true')
  await tryLine(cwd, config, line)
  return cwd
}

const namesIn = (cwd: string) => ['ci', 'log'].map((name) => readdirSync(join(cwd, name)).sort())
const isMore = (cwd: string) => readFileSync(join(cwd, 'ci/vitrine.toml'), 'utf8').includes('# more')

describe.runIf(process.platform === 'linux')("vitrine's own files in a workspace", () => {
  it.for(['["default"]', '[]'])('are protected with protected = %s', async (protects) => {
    const line = 'echo "# more" >> ci/vitrine.toml; mv log/audit log/other; : > log/audit.1'
    const cwd = await runIn(protects, line)
    expect([namesIn(cwd), isMore(cwd)]).toEqual([[['vitrine.toml'], ['audit', 'audit.lock']], false])
    execFileSync('sh', ['-c', line], { cwd })
    expect([namesIn(cwd), isMore(cwd)]).toEqual([
      [['vitrine.toml'], ['audit.1', 'audit.lock', 'other']],
      true,
    ])
  })

  it('are protected where the configuration is a link from elsewhere', async () => {
    const [cwd, elsewhere] = [makeDirectory(), makeDirectory()]
    writeFileSync(join(cwd, 'vitrine.toml'), '[workspace]\nprotected = []\n')
    symlinkSync(join(cwd, 'vitrine.toml'), join(elsewhere, 'link.toml'))
    const { code } = await tryLine(cwd, join(elsewhere, 'link.toml'), 'echo "# more" >> vitrine.toml')
    expect([code, readFileSync(join(cwd, 'vitrine.toml'), 'utf8').includes('# more')]).toEqual([2, false])
  })

  it('do not keep commands from running where the audit log cannot be opened', async () => {
    const cwd = makeDirectory()
    symlinkSync('loop', join(cwd, 'loop'))
    const audit = `[audit]\npath = ${JSON.stringify(join(cwd, 'loop/audit'))}\n`
    writeFileSync(join(cwd, 'vitrine.toml'), audit)
    expect((await tryLine(cwd, join(cwd, 'vitrine.toml'), 'echo x > new')).code).toBe(0)
  })

  it('leave what is beside them open', async () => {
    const cwd = await runIn('["default"]', 'echo x > ci/new; mkdir log/new')
    expect(namesIn(cwd)).toEqual([
      ['new', 'vitrine.toml'],
      ['audit', 'audit.lock', 'new'],
    ])
  })
})

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
