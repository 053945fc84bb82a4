import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Home, misused } from '../cli/vitrine.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'
import { isExecutable } from '../helpers/programs.ts'

const home = new Home()
const bash = isExecutable('/bin/bash')
const project = join(home.directory, 'project')
mkdirSync(project)
/** A line that only bash reads so. */
const line = 'echo {a,b}; exit 3'
const read = { code: 3, stdout: 'a b\n', stderr: '' }

describe.skipIf(!bash)('bash reads lines', () => {
  it('of run --shell, by its name and by its path', async () => {
    for (const shell of ['bash', '/bin/bash'])
      for (const mode of ['read', 'workspace', 'write'])
        expect(
          await home.run(['run', '--shell', shell, '--mode', mode, '--', line], { cwd: project }),
        ).toMatchObject(read)
  })

  it('with only the workspace to read, though PATH does not lead to it', async () => {
    const directory = makeDirectory()
    mkdirSync(join(directory, 'project'))
    copyFileSync('/bin/bash', join(directory, 'bash'))
    const shell = await openTestShell({
      cwd: join(directory, 'project'),
      program: join(directory, 'bash'),
      toml: `[shell]\nreads = "workspace"\n`,
    })
    expect(await shell.execute({ command: line })).toMatchObject({ exitCode: 3, output: 'a b\n' })
  })

  it('but no file that BASH_ENV names comes before one, unless write mode passes that variable', async () => {
    const file = join(home.directory, 'env.sh')
    writeFileSync(file, 'echo FIRST\n')
    const options = { cwd: project, env: { BASH_ENV: file } }
    for (const [mode, before] of Object.entries({ read: '', workspace: '', write: 'FIRST\n' }))
      expect(await home.run(['run', '--shell', 'bash', '--mode', mode, '--', 'pwd'], options)).toMatchObject({
        stdout: `${before}${project}\n`,
      })
  })
})

describe('a shell that cannot be', () => {
  it('a word that is neither sh nor bash', async () => {
    expect(await home.run(['run', '--shell', 'fish', '--', 'true'])).toMatchObject(
      misused('--shell takes sh, bash or the path of a shell, not "fish".'),
    )
    await expect(openTestShell({ program: 'fish' })).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    await expect(openTestShell({ toml: '[shell]\nprogram = "fish"\n' })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      refusal: { key: 'shell.program', line: 2 },
    })
  })

  it('a program that is not there', async () => {
    const ran = await home.run(['run', '--shell', './none', '--', 'touch made'])
    expect(ran).toMatchObject({ code: 125, stdout: '' })
    expect(ran.stderr).toContain(`--shell: shell.program: expected "sh", or a shell that is installed`)
    await expect(openTestShell({ program: '/none/bash' })).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
    expect(await home.run(['run', '--shell', '/etc/passwd', '--', 'true'])).toMatchObject({
      code: 126,
      stderr: 'vitrine: /etc/passwd: not executable.\n',
    })
    const shell = await openTestShell()
    await expect(shell.execute({ command: 'true', program: '/none/bash' })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
    })
  })

  it('a program of the workspace, which commands can write', async () => {
    const directory = makeDirectory()
    const program = join(directory, 'mysh')
    copyFileSync('/bin/sh', program)
    const options = { cwd: directory, program }
    await expect(openTestShell(options)).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
    const shell = await openTestShell({ cwd: directory })
    await expect(shell.execute({ command: 'true', program })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
    })
  })

  it('that a project chooses is ignored', async () => {
    const directory = makeDirectory()
    writeFileSync(join(directory, '.vitrine.toml'), '[shell]\nprogram = "/bin/bash"\n')
    const ran = await home.run(['run', '--', 'echo "$0"'], { cwd: directory })
    expect(ran).toMatchObject({ code: 0, stdout: 'sh\n' })
    expect(ran.stderr).toContain('shell.program')
  })
})

describe('the policy', () => {
  it('asks in write mode about every line of a shell whose language it does not know', async () => {
    const directory = makeDirectory()
    copyFileSync('/bin/sh', join(directory, 'mysh'))
    const shell = await openTestShell({ program: join(directory, 'mysh') })
    shell.mode = 'write'
    expect(await shell.decide({ command: 'ls' })).toMatchObject({ verdict: 'ask' })
    expect(await shell.decide({ command: 'ls', program: 'sh' })).toMatchObject({ verdict: 'allow' })
    // The other way round, and the same line again.
    const other = await openTestShell({ mode: 'write' })
    expect(await other.decide({ command: 'ls' })).toMatchObject({ verdict: 'allow' })
    expect(await other.decide({ command: 'ls', program: join(directory, 'mysh') })).toMatchObject({
      verdict: 'ask',
    })
    expect(await other.decide({ command: 'sudo ls', program: join(directory, 'mysh') })).toMatchObject(
      await other.decide({ command: 'sudo ls' }).then(({ verdict }) => ({ verdict })),
    )
  })

  it('decides about lines of bash as about those of sh', async () => {
    const shell = await openTestShell({ mode: 'write' })
    for (const command of ['ls', 'ls &> out', 'diff <(rm f) g', '[[ -f a ]] && ls', 'source x', 'sudo ls'])
      expect(await shell.decide({ command, program: 'bash' })).toEqual(await shell.decide({ command }))
  })
})
