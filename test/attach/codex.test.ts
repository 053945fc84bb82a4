import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Home } from '../cli/vitrine.ts'
import { makeRepository } from '../helpers/git.ts'

/** What Codex 0.171.0 tells its hooks; with the real client: scripts/clients. */
const home = new Home()
delete home.env['CODEX_HOME']
const project = join(home.directory, 'a project')
makeRepository(project)

async function hook(tool: string, input: object, mode = 'workspace', cwd = project) {
  const told = JSON.stringify({ cwd, tool_name: tool, tool_input: input })
  const ran = await home.run(['hook', 'codex', '--mode', mode], { cwd: project, input: told })
  return { code: ran.code, said: ran.stderr, answer: ran.stdout === '' ? undefined : JSON.parse(ran.stdout) }
}

const patch = (...lines: string[]) => ({ command: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') })

describe('the hook of codex', () => {
  it.each([
    ['an added file', patch('*** Add File: src/a b.ts', '+x'), 0],
    ['one outside', patch('*** Add File: ../a', '+x'), 2],
    ['a second one outside', patch('*** Add File: a', '+x', '*** Add File: /etc/a', '+x'), 2],
    [
      'a move to a protected path',
      patch('*** Update File: a', '*** Move to: .git/hooks/pre-commit', '@@'),
      2,
    ],
    ['a deleted protected file', patch('*** Delete File: .git/config'), 2],
    ['a blank before the mark', patch('  *** Add File: .codex/config.toml', '+x'), 2],
    ['no file at all', patch('x'), 2],
  ])('judges a patch: %s', async (_, input, code) => {
    expect(await hook('apply_patch', input)).toMatchObject({ code })
    expect(await hook('apply_patch', input, 'read')).toMatchObject({ code: 2 })
  })

  it('has vitrine run the line, and the client judge the words of the model', async () => {
    const { code, answer } = await hook('Bash', { command: "echo 'a b' | cat" })
    expect(code).toBe(0)
    const { updatedInput, permissionDecision } = answer.hookSpecificOutput
    expect(permissionDecision).toBe('allow')
    expect(updatedInput.command).toMatch(/^exec \S+\/attached\/codex\/bash --project .*\necho 'a b' \| cat$/)
  })

  it.each(['true & touch made', '& touch made', 'true\ntouch made', '; touch made'])(
    'leaves nothing of %j to the shell of the client',
    async (command) => {
      const { answer } = await hook('Bash', { command })
      for (const shell of ['bash', 'sh'])
        spawnSync(shell, ['-c', answer.hookSpecificOutput.updatedInput.command], { cwd: project })
      expect(existsSync(join(project, 'made'))).toBe(false)
    },
  )

  it('refuses tools that it does not know, and a command that names its own program', async () => {
    expect(await hook('new_tool', { x: 1 })).toMatchObject({
      code: 2,
      said: expect.stringContaining('new_tool'),
    })
    expect(await hook('mcp__server__tool', { x: 1 })).toMatchObject({ code: 0, answer: {} })
    const own = join(home.directory, '.state/vitrine/attached/codex/bash')
    expect(await hook('Bash', { command: `exec ${own} -- -c 'git push'` })).toMatchObject({ code: 2 })
  })

  it.each([
    ['config.toml', '[features]\nhooks = false\n'],
    ['hooks.json', '{ "hooks": {} }'],
  ])('refuses every call in a project whose %s leads around it', async (name, text) => {
    mkdirSync(join(project, '.codex'), { recursive: true })
    const file = join(project, '.codex', name)
    writeFileSync(file, text)
    mkdirSync(join(project, 'sub'), { recursive: true })
    for (const cwd of [project, join(project, 'sub')])
      expect(await hook('Bash', { command: 'ls' }, 'workspace', cwd)).toMatchObject({
        code: 2,
        said: expect.stringContaining(file),
      })
    writeFileSync(file, '')
    expect(await hook('Bash', { command: 'ls' })).toMatchObject({ code: 0 })
  })
})

it('attach changes nothing where Codex cannot be asked to trust the hook', async () => {
  const config = join(home.directory, '.codex/config.toml')
  mkdirSync(join(home.directory, '.codex'))
  writeFileSync(config, '# mine\nmodel = "x"\n')
  const bin = join(home.directory, 'bin')
  mkdirSync(bin)
  const ran = await home.run(['attach', 'codex'], { env: { PATH: bin } })
  expect(ran).toMatchObject({ code: 125, stderr: expect.stringContaining('codex') })
  expect(readFileSync(config, 'utf8')).toBe('# mine\nmodel = "x"\n')
  expect(existsSync(join(home.directory, '.state/vitrine/attached'))).toBe(false)
})
