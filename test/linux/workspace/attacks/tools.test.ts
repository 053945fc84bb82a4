import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { words } from '../../../../src/base/text.ts'
import { gitEnvironment } from '../../../helpers/git.ts'
import { makeDirectory, openTestShell } from '../../../helpers/place.ts'

/** Files that make a tool run a program when a person enters the directory, opens it in an editor or starts an agent there. */
const files = words(`
  .tool-versions mise/config.local.toml mise/conf.d/a.toml .config/mise.local.toml .miserc.toml .rtx.toml .rtx.local.toml
  .sdkmanrc .prototools .shadowenv.d/a.lisp .rvmrc
  .helix/languages.toml .vim/coc-settings.json .fleet/run.json .kateproject
  .github/hooks/a.json .github/extensions/a/extension.mjs .github/agents/a.md .github/copilot/settings.json
  .windsurf/hooks.json .kiro/settings/mcp.json .amp/settings.json .factory/mcp.json .junie/mcp/mcp.json .roo/mcp.json
  .kilocode/mcp.json .clinerules/hooks/TaskStart .continue/mcpServers/a.yaml .amazonq/mcp.json .crush/crush.json .crush.json
  crush.json .aider.conf.yml .openhands/setup.sh .trae/mcp.json .pi/extensions/a.ts .agents/skills/a/SKILL.md
  .qwen/settings.json .opencode.json .hg/hgrc .jj/repo/config.toml .forgejo/workflows/a.yml azure-pipelines.yml
`)

const ways = {
  'by writing it': 'mkdir -p "$(dirname $f)"; echo x > $f',
  'by moving its directory into place': 'mkdir -p made/$(dirname $f); echo x > made/$f',
  'by a link at its place': 'mkdir -p elsewhere/$f "$(dirname $f)"; ln -s "$PWD/elsewhere/$f" $f',
}

describe.runIf(process.platform === 'linux')('a file that a tool outside obeys', () => {
  it.each(Object.entries(ways))('is not made %s', async (_, way) => {
    const command = files.map((f) => `(f=${f}; ${way})`).join('\n')
    const moves = '[ ! -d made ] || mv made/.[!.]* made/* .'
    for (const mode of ['workspace', 'write'] as const) {
      const cwd = makeDirectory()
      await (await openTestShell({ cwd, mode })).execute({ command: `${command}\n${moves}` })
      const made = files.filter((file) => existsSync(join(cwd, file)))
      expect([mode, made]).toEqual([mode, mode === 'write' ? files : []])
    }
  })

  it('leaves the directory around it open', async () => {
    const shell = await openTestShell({ cwd: makeDirectory(), mode: 'workspace' })
    const command = 'mkdir -p .github .config mise && echo x > .github/dependabot.yml && echo x > mise/x'
    expect(await shell.execute({ command })).toMatchObject({ exitCode: 0 })
  })
})

/** \351 is an e with an acute accent in ISO 8859-1. */
function makeProject(script: string): string {
  const cwd = join(makeDirectory(), 'project')
  const line = `mkdir "$1" && cd "$1" && git init -q && name=$(printf 'd\\351p\\364t') && ${script}`
  execFileSync('sh', ['-ec', line, 'sh', cwd], { env: gitEnvironment(cwd), stdio: 'pipe' })
  return cwd
}

const rows = [
  ['a repository', 'git init -q "$name"'],
  ['a bare repository', 'git init -q --bare "$name"'],
  ['a linked worktree', 'git commit -q --allow-empty -m one && git worktree add -q "deep/$name" -b other'],
] as const

describe.runIf(process.platform === 'linux')('a name that is not UTF-8', () => {
  it.each(rows)('%s with it is not left open: the command is refused', async (_, script) => {
    const opening = openTestShell({ cwd: makeProject(script), mode: 'workspace' })
    await expect(opening).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      refusal: { remedy: expect.any(String) },
    })
  })

  it('of a repository that appears later refuses the next command', async () => {
    const cwd = makeProject('mkdir "$name"')
    const shell = await openTestShell({ cwd, mode: 'workspace' })
    for (let before = 0; before < 3; before++) await shell.execute({ command: 'true' })
    execFileSync('sh', ['-c', 'git init -q d*'], { cwd })
    await expect(shell.execute({ command: 'true' })).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' })
  })

  it('of any other directory refuses nothing', async () => {
    const shell = await openTestShell({ cwd: makeProject('mkdir "$name"'), mode: 'workspace' })
    const { stdout } = await shell.execute({ command: 'cd d* && echo x > new && cat new' })
    expect(stdout).toBe('x\n')
  })
})
