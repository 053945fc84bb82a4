import { execFileSync } from 'node:child_process'
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeDirectory, openTestShell } from '../../helpers/place.ts'
import { words } from '../../helpers/words.ts'

/** A repository with a hook, a script in a subdirectory, and settings of an editor. */
function makeProject(): string {
  const cwd = join(makeDirectory(), 'project')
  for (const name of ['src/deep', '.vscode/inner', '.git/hooks'])
    mkdirSync(join(cwd, name), { recursive: true })
  execFileSync('git', ['init', '-q'], { cwd })
  for (const name of ['.vscode/inner/tasks.json', '.git/hooks/pre-push', '.envrc'])
    writeFileSync(join(cwd, name), 'before')
  return cwd
}

const linked = words('.git/config .git/hooks/pre-push .vscode/inner/tasks.json .envrc').flatMap((file) =>
  ['src/deep/x', 'x'].map((name) => ({ file, name })),
)

function open(cwd: string, mode: 'workspace' | 'write', toml = '') {
  return openTestShell({ cwd, mode, toml })
}

const linux = describe.runIf(process.platform === 'linux')

linux('a name from before of a protected file', () => {
  it.each(linked)(
    '$name of $file writes it in write mode, and not in workspace mode',
    async ({ file, name }) => {
      const cwd = makeProject()
      linkSync(join(cwd, file), join(cwd, name))
      const before = readFileSync(join(cwd, file), 'utf8')
      const held = await open(cwd, 'workspace')
      const moved = `mv ${dirname(name)} moved; echo held >> moved/${basename(name)}`
      const command = `echo held >> ${name}; truncate -s 0 ${name}; chmod 777 ${name}; ${moved}`
      await held.execute({ command })
      expect(readFileSync(join(cwd, file), 'utf8')).toBe(before)
      expect(statSync(join(cwd, file)).mode & 0o777).not.toBe(0o777)
      await (await open(cwd, 'write')).execute({ command: `echo open >> ${name}` })
      expect(readFileSync(join(cwd, file), 'utf8')).toContain('open')
    },
  )

  it.each([
    { how: 'twice', link: undefined, path: '.vscode/inner/tasks.json' },
    { how: 'by a link', link: '.idea', path: '.envrc' },
    { how: 'beyond a link', link: 'way', path: 'way/inner/tasks.json' },
  ])('is found where the list has the file $how', async ({ link, path }) => {
    const cwd = makeProject()
    linkSync(join(cwd, '.vscode/inner/tasks.json'), join(cwd, 'src/deep/x'))
    if (link) symlinkSync('.vscode', join(cwd, link))
    const shell = await open(cwd, 'workspace', `[workspace]\nprotected = ["default", "${path}"]\n`)
    expect(await shell.execute({ command: 'echo held >> src/deep/x' })).not.toMatchObject({ exitCode: 0 })
    expect(readFileSync(join(cwd, '.vscode/inner/tasks.json'), 'utf8')).toBe('before')
  })

  it.each(['lib', '.vscode'])('that may be too deep in %s to be found: nothing runs', async (top) => {
    const cwd = makeProject()
    // Only a file that has other names makes vitrine search in what is not protected.
    if (top === 'lib') linkSync(join(cwd, '.envrc'), join(cwd, '../elsewhere'))
    mkdirSync(join(cwd, top, ...Array.from({ length: 120 }, () => 'd')), { recursive: true })
    const shell = await open(cwd, 'workspace')
    await expect(shell.execute({ command: 'echo ran > ran' })).rejects.toMatchObject({
      code: 'SPAWN_FAILED',
      refusal: { step: 'workspace', errno: 'EMLINK' },
    })
    expect(() => statSync(join(cwd, 'ran'))).toThrow()
  })

  it('is reported as protected, and the rest of its directory can be changed', async () => {
    const cwd = makeProject()
    linkSync(join(cwd, '.envrc'), join(cwd, 'src/deep/x'))
    const shell = await open(cwd, 'workspace')
    const { exitCode, denials } = await shell.execute({
      command: 'echo x > src/deep/y && echo x > src/deep/x',
    })
    expect(exitCode).not.toBe(0)
    expect(denials).toMatchObject([{ path: join(cwd, 'src/deep/x') }])
    expect(readFileSync(join(cwd, 'src/deep/y'), 'utf8')).toBe('x\n')
  })

  it('that comes in with its directory between two commands is found', async () => {
    const cwd = makeProject()
    mkdirSync(join(cwd, '../away'))
    linkSync(join(cwd, '.envrc'), join(cwd, '../away/x'))
    const shell = await open(cwd, 'workspace')
    await shell.execute({ command: 'true' })
    renameSync(join(cwd, '../away'), join(cwd, 'src/away'))
    expect(await shell.execute({ command: 'echo x > src/away/x' })).not.toMatchObject({ exitCode: 0 })
    expect(readFileSync(join(cwd, '.envrc'), 'utf8')).toBe('before')
  })

  it('outside of the workspace changes nothing: the mode works', async () => {
    const cwd = makeProject()
    linkSync(join(cwd, '.envrc'), join(cwd, '../elsewhere'))
    const shell = await open(cwd, 'workspace')
    expect(await shell.execute({ command: 'mkdir src/new && echo x > src/new/y' })).toMatchObject({
      exitCode: 0,
    })
  })
})

/** attacks/reach.alone.test.ts tries further ones. */
linux('a spelling that a file system could take for a protected name', () => {
  it('leaves what has such a name already, and is something else', async () => {
    const cwd = makeProject()
    writeFileSync(join(cwd, 'head'), 'before')
    linkSync(join(cwd, '.envrc'), join(cwd, '.ENVRC'))
    const shell = await open(cwd, 'workspace')
    const command = 'echo after > head && mv head there; echo after > .ENVRC; echo after > Head'
    const { denials } = await shell.execute({ command })
    expect(denials.map(({ path }) => path)).toEqual([join(cwd, '.ENVRC'), join(cwd, 'Head')])
    expect(readFileSync(join(cwd, 'there'), 'utf8')).toBe('after\n')
    expect(readFileSync(join(cwd, '.envrc'), 'utf8')).toBe('before')
  })
})

linux('a name that a protected file gets while a command runs', () => {
  it('beside something protected can be neither written nor removed', async () => {
    const cwd = makeProject()
    const shell = await open(cwd, 'workspace')
    const wait = 'touch started; while ! test -e x; do sleep 0.05; done'
    const running = shell.execute({ command: `${wait}; echo x >> x; rm -f x; mv x y` })
    await expect.poll(() => existsSync(join(cwd, 'started')), { timeout: 20_000 }).toBe(true)
    linkSync(join(cwd, '.envrc'), join(cwd, 'x'))
    const { denials } = await running
    expect(denials.map(({ operation }) => operation)).toEqual(['write', 'delete', 'rename'])
    expect([readFileSync(join(cwd, '.envrc'), 'utf8'), existsSync(join(cwd, 'x'))]).toEqual(['before', true])
  })
})
